from crewai.memory import Memory as Memory
