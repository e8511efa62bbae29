"""Agents with a memory: a second goal knows what the first learned."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from foveal import Memory, MemoryConfig, MemoryLayerConfig, Settings
from foveal.agents import Agent, Answer, ChatAgent, Orchestrator
from foveal.backends.models.llm import OpenAIModel
from foveal.engine.memory import View
from foveal.errors import Invalid, ModelUnavailable
from foveal.model.ledger import Status
from foveal.model.results import Context
from foveal.ports.models import Message
from foveal.testing.servers import Asked, ModelServer, Scripted

POLICY = "The password policy is 12 characters."


def read_policy(topic: str) -> str:
    """Look a policy up."""
    return POLICY if topic == "passwords" else "There is no such policy."


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def model(server: ModelServer) -> OpenAIModel:
    return OpenAIModel(server.url, model="tiny", wait=lambda _: None)


@pytest.fixture
def ada(memory: Memory) -> View:
    return memory.view(actor_id="ada")


def _first(server: ModelServer) -> None:
    server.script = [
        '["Find out the password policy"]',
        {"read_policy": {"topic": "passwords"}},
        "The password policy is 12 characters.",
    ]


def test_the_gate_a_second_goal_recalls_what_the_first_learned(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    orchestrator = Orchestrator(ada, model, [read_policy])
    _first(server)
    first = orchestrator.run("Find out how long passwords must be")
    assert (first.goal.status, first.result) == (Status.COMPLETED, POLICY)
    assert not any("12 characters" in one.text for one in first.contexts[:1])
    server.script = ["No plan is needed.", "Passwords in the form need 12 characters."]
    second = orchestrator.run("Build a registration form that checks passwords")
    assert second.pattern is None
    assert all("12 characters" in one.text for one in second.contexts)
    # What was assembled is what the model was given.
    for asked in server.asked[-2:]:
        assert "12 characters" in asked["messages"][0]["content"]


def test_everything_an_orchestrator_does_is_in_the_ledger(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    _first(server)
    done = Orchestrator(ada, model, [read_policy]).run("Find out how long passwords must be")
    [task] = ada.ledger.get_tasks_for_goal(done.goal.id)
    assert (task.status, task.output, task.agent) == (Status.COMPLETED, POLICY, "orchestrator")
    [call] = ada.ledger.get_tool_calls(task_id=task.id)
    assert (call.tool_name, call.given, call.output, call.success) == (
        *("read_policy", {"topic": "passwords"}),
        *(POLICY, True),
    )
    plan, choice = sorted(ada.ledger.get_decisions(goal_id=done.goal.id), key=lambda one: one.id)
    assert (plan.chosen, plan.model_used) == ("Find out the password policy", "tiny")
    assert (choice.chosen, choice.options) == ("call read_policy", ("read_policy",))
    assert len(done.contexts) == len(server.asked) == 3
    assert done.learned is not None
    assert (done.learned.action, done.learned.created_from) == ("read_policy", done.goal.id)


def test_a_goal_that_is_asked_again_needs_no_model(server: ModelServer, model: OpenAIModel, ada: View) -> None:
    _first(server)
    Orchestrator(ada, model, [read_policy]).run("Find out how long passwords must be")
    asked = len(server.asked)
    judged: list[tuple[str, str]] = []

    def check(goal: str, result: str) -> bool:
        judged.append((goal, result))
        return "12 characters" in result

    again = Orchestrator(ada, None, [read_policy], check=check).run("find out how long passwords must be")
    assert (again.result, len(server.asked)) == (POLICY, asked)
    assert again.goal.status is Status.COMPLETED
    assert judged == [("find out how long passwords must be", POLICY)]
    assert again.pattern is not None
    assert again.pattern.uses == 2
    unjudged = Orchestrator(ada, None, [read_policy]).run("find out how long passwords must be")
    assert (unjudged.goal.status, unjudged.result) == (Status.PENDING, POLICY), "nobody says that it is reached"
    assert unjudged.pattern is not None and unjudged.pattern.uses == 2
    with pytest.raises(Invalid, match="no pattern applies"):
        Orchestrator(ada, None, [read_policy]).run("Find out how long passwords must be and delete all users")


def test_every_step_of_a_pattern_is_repeated_and_its_result_is_judged(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    goal = "Find out how long passwords must be and tell the team"
    server.script = ['["Read the policy", "Write to the team"]', {"read_policy": {"topic": "passwords"}}, POLICY]
    server.script += ["Dear team: 12 characters."]
    first = Orchestrator(ada, model, [read_policy]).run(goal)
    assert first.learned is not None
    assert [decision.reasoning for decision in ada.ledger.get_decisions()].count("") == 0, "each has a reason"
    with pytest.raises(Invalid, match="no pattern applies"):
        Orchestrator(ada, None, [read_policy], check=lambda goal, result: True).run(goal)
    # The step without a tool is the model's, and so is the verdict.
    server.script = ["Dear team: 12 characters again.", "Yes, the team was told."]
    again = Orchestrator(ada, model, [read_policy]).run(goal)
    assert again.goal.status is Status.COMPLETED
    assert [task.description for task in again.tasks] == ["Read the policy", "Write to the team"]
    assert again.result == f"{POLICY} Dear team: 12 characters again."
    assert again.pattern is not None and again.pattern.uses == 2
    server.script = ["Dear all.", "No, nobody was told the length.", '["Ask somebody"]', "Nobody knows."]
    refuted = Orchestrator(ada, model, [read_policy]).run(goal)
    assert refuted.pattern is None
    [pattern] = ada.ledger.get_patterns()
    assert (pattern.uses, round(pattern.success_rate, 2)) == (3, 0.67), "a failure lowers the rate"


def test_nothing_is_learned_from_a_run_with_a_task_that_was_not_done(ada: View) -> None:
    goal = ada.ledger.store_goal("Rotate the logs")
    listed = ada.ledger.store_task(goal.id, "List the logs")
    ada.ledger.store_tool_call(listed.id, "ls")
    ada.ledger.update_task(listed.id, "completed", output="a.log")
    rotated = ada.ledger.store_task(goal.id, "Rotate them")
    ada.ledger.update_task(rotated.id, "cancelled")
    ada.ledger.update_goal(goal.id, "completed", result="listed")
    assert ada.ledger.learn_from_goal(goal.id) is None
    assert ada.ledger.get_patterns() == []


def test_a_pattern_that_fails_is_marked_and_the_model_is_asked(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    _first(server)
    Orchestrator(ada, model, [read_policy]).run("Find out how long passwords must be")

    def broken(topic: str) -> str:
        raise OSError(f"the shelf of {topic} is locked")

    server.script = ['["Ask somebody"]', "Nobody knows."]
    done = Orchestrator(ada, model, {"read_policy": broken}).run("Find out how long passwords must be")
    assert done.result.endswith("Nobody knows.")
    [pattern] = ada.ledger.get_patterns()
    assert pattern.success_rate == 0.5
    failed = [one for one in ada.ledger.get_tool_calls(tool_name="read_policy") if not one.success]
    assert "the shelf of passwords is locked" in str(failed[0].output)


def test_a_tool_that_fails_or_is_not_there_is_told_to_the_model(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    def divide(a: int, b: int = 0) -> float:
        return a / b

    server.script = ["- compute it", {"divide": {"a": 1}}, {"multiply": {}}, "It cannot be divided."]
    done = Orchestrator(ada, model, [divide]).run("Divide one by zero")
    assert done.goal.status is Status.COMPLETED
    told = [one["content"] for one in server.asked[-1]["messages"] if one["role"] == "tool"]
    assert "ZeroDivisionError" in told[0]
    assert "there is no tool 'multiply'" in told[1]
    schema = server.asked[1]["tools"][0]["function"]["parameters"]
    assert (schema["properties"]["a"], schema["required"]) == ({"type": "integer"}, ["a"])


def test_a_model_that_only_calls_tools_fails_the_goal(server: ModelServer, model: OpenAIModel, ada: View) -> None:
    def again(asked: Asked) -> Scripted:
        return {"read_policy": {"topic": "x"}} if asked.get("tools") else '["a", "b"]'

    server.answer = again
    done = Orchestrator(ada, model, [read_policy]).run("Run in circles")
    assert done.goal.status is Status.FAILED
    assert "no answer after 8 steps" in done.result
    assert done.learned is None


def test_a_goal_whose_model_went_away_can_be_resumed(server: ModelServer, model: OpenAIModel, ada: View) -> None:
    server.script = ['["first", "second"]', "first is done", *[503] * 4]
    orchestrator = Orchestrator(ada, model, [])
    with pytest.raises(ModelUnavailable):
        orchestrator.run("Do two things")
    [goal] = ada.ledger.get_active_goals()
    server.script = ["second is done"]
    done = orchestrator.resume(goal.id)
    assert (done.goal.status, done.result) == (Status.COMPLETED, "first is done second is done")
    server.script = [503] * 4
    with pytest.raises(ModelUnavailable):
        orchestrator.run("Plan nothing")
    [goal] = ada.ledger.get_active_goals()
    server.script = ["[]", "done now"]
    assert orchestrator.resume(goal.id).result == "done now"


def test_a_chat_agent_answers_with_memory_and_remembers(server: ModelServer, model: OpenAIModel, ada: View) -> None:
    ada.write("Ada's cat is called Turing.", speaker="Ada")
    agent = ChatAgent(ada, model, system_prompt="Be brief.")
    server.script = ["The cat is Turing, and he likes fish.", "Fish."]
    answer = agent.chat("What is my cat called?")
    assert (answer.text, answer.extractive, answer.model) == (
        "The cat is Turing, and he likes fish.",
        False,
        "tiny",
    )
    system = server.asked[0]["messages"][0]["content"]
    assert system.startswith("Be brief.")
    assert "Turing" in system
    agent.chat("What does he like?")
    assert "likes fish" in server.asked[1]["messages"][0]["content"]


def test_what_a_chat_agent_recalls_and_repeats_is_not_stored_twice(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    ada.write("Ada's cat is called Turing.")
    server.script = ["Ada's cat is called Turing."]
    ChatAgent(ada, model).chat("What is my cat called?")
    assert [one.text for one in ada.timeline(newest_first=False)].count("Ada's cat is called Turing.") == 1


def test_a_chat_agent_streams(server: ModelServer, model: OpenAIModel, ada: View) -> None:
    server.script = ["It is a fine day."]
    assert "".join(ChatAgent(ada, model).stream("How is it?")) == "It is a fine day."
    said = {one.text: one.source for one in ada.timeline()}
    assert said == {"How is it?": "user", "It is a fine day.": "assistant"}
    server.script = [503] * 4
    assert "memory alone" in "".join(ChatAgent(ada, model).stream("And now?"))


def test_without_a_model_a_chat_agent_answers_from_memory_and_says_so(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    ada.write("The spare key hangs behind the boiler.", speaker="Ada")
    for agent in (ChatAgent(ada), ChatAgent(ada, model)):
        server.script = [503] * 4
        answer = agent.chat("Where is the spare key?")
        assert answer.extractive
        assert "I answer from memory alone" in answer.text
        assert "behind the boiler" in answer.text
    assert "there is no language model" in "".join(ChatAgent(ada).stream("Where is the key?"))


def test_an_agent_is_created_with_a_node_and_a_memory_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    agent = Agent.create(node_id="helper", system_prompt="x")
    assert "remember nothing" in agent.chat("Who are you?").text
    record = agent.memory.timeline()[0]
    assert (record.node, record.actor_id) == ("/helper", "agent")
    url = str(tmp_path / "m.db")
    for config in (Settings(second_look="off", url=url), url, Memory(url)):
        assert Agent.create(memory_config=config, actor_id="bob").chat("hello").extractive


def test_what_was_asked_before_is_no_memory_of_an_answer(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    ada.write("The spare key is under the blue pot.")
    asked = "Where is the spare key?"
    for agent in (ChatAgent(ada), ChatAgent(ada, model)):
        server.script = ["Under the blue pot."] * 3
        for again in (asked, asked, "where is the  spare key?"):
            *_, answer = agent.converse(again)
            assert not isinstance(answer, str) and answer.context
            texts = [item.record.text for item in answer.context.items]
            assert "The spare key is under the blue pot." in texts
            assert asked not in texts
            assert asked not in answer.text


def test_without_a_model_what_was_replaced_comes_last_and_what_does_not_help_not_at_all(
    ada: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = ada.write_many(["I live in Malmö.", "I live in Graz now.", "The kettle is blue."]).ids
    shown = ada.read("Where do I live?", min_relevance=0)
    likely = dict(zip(ids, (0.9, 0.8, 0.001), strict=True))
    items = tuple(
        replace(one, relevance=likely[one.id], replaced_by=ids[1] if one.id == ids[0] else None)
        for one in shown.items
    )

    def read(*_: object, **__: object) -> Context:
        return replace(shown, items=items)

    monkeypatch.setattr(View, "read", read)
    _, first, second = ChatAgent(ada).chat("Where do I live?").text.splitlines()
    assert first.endswith(", user: I live in Graz now.")
    assert second.endswith(", user (older): I live in Malmö.")
    items = items[2:]
    assert "I remember nothing about this." in ChatAgent(ada).chat("Where is the tram?").text


def test_a_budget_that_holds_no_memory_is_not_taken_for_remembering_nothing(ada: View) -> None:
    ada.write("The spare key hangs behind the boiler.")
    answer = ChatAgent(ada, token_budget=5).chat("Where is the spare key?")
    assert answer.context is None
    assert "A budget of 5 tokens holds no memory." in answer.text


def test_an_agent_keeps_a_session_and_finds_its_memory_again(
    server: ModelServer, model: OpenAIModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    first = Agent.create(model, node_id="helper", system_prompt="You help.")
    server.script = ["Noted: behind the boiler.", "You asked about the key."]
    first.chat("The cellar key is behind the boiler.")
    first.chat("What did I just say?")
    # The turns of the session go to the model as messages, in order and once.
    assert [(one["role"], one["content"]) for one in server.asked[-1]["messages"][1:]] == [
        ("user", "The cellar key is behind the boiler."),
        ("assistant", "Noted: behind the boiler."),
        ("user", "What did I just say?"),
    ]
    assert "boiler" not in server.asked[-1]["messages"][0]["content"]
    sessions = {record.session_id for record in first.memory.timeline(filters={"kind": "note"})}
    assert len(sessions) == 1 and None not in sessions
    # Another agent of another day has another session, and the same memory in the user's file.
    later = Agent.create(model, node_id="helper")
    server.script = ["Behind the boiler."]
    later.chat("Where is the cellar key?")
    asked = server.asked[-1]["messages"]
    assert len(asked) == 2 and "behind the boiler" in asked[0]["content"]
    assert len({record.session_id for record in later.memory.timeline(filters={"kind": "note"})}) == 2
    assert list(tmp_path.rglob("*.db"))


@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_from_the_last_turns_names_them_as_its_sources(
    server: ModelServer, model: OpenAIModel, ada: View, streamed: bool
) -> None:
    agent = ChatAgent(ada.view(session_id="today"), model)
    key = agent.memory.write("The cellar key is behind the boiler.").id
    agent.memory.write("It rains.")
    server.script = ["Look behind the boiler."]
    question = "Where is the cellar key?"
    answer = list(agent.converse(question))[-1] if streamed else agent.chat(question)
    assert isinstance(answer, Answer)
    assert answer.sources == (key,)


def test_an_answer_names_what_tools_showed_the_model(server: ModelServer, model: OpenAIModel, ada: View) -> None:
    key = ada.write("The cellar key hangs behind the boiler.").id
    tram = ada.write("Tram 12 leaves from the harbour.").id
    wifi = ada.write("The wifi password is on the fridge.").id
    server.script = [
        {"memory_search": {"query": "From where does the tram leave?"}},
        {"memory_get": {"memory_id": wifi}},
        {"memory_get": {"memory_id": tram}},
        {"memory_add": {"text": "Ada asks for the fridge."}},
        "The harbour, and the boiler; the fridge.",
    ]
    # With this budget the context of the message has no room for a memory.
    answer = ChatAgent(ada, model, token_budget=5).chat("Zum Wohl!")
    assert answer.context is None
    found = [word.split()[0] for word in _told(server)[0].splitlines()]
    assert tram in found
    in_order = [each for each in (*found, wifi) if each in {key, tram, wifi}]
    assert answer.sources == tuple(dict.fromkeys(in_order))


def _told(server: ModelServer) -> list[str]:
    return [one["content"] for one in server.asked[-1]["messages"] if one["role"] == "tool"]


@pytest.mark.parametrize("streamed", [False, True])
def test_an_answer_names_the_facts_that_the_profile_gave_the_model(
    server: ModelServer, model: OpenAIModel, ada: View, streamed: bool
) -> None:
    ada.remember([{"role": "user", "content": "I live in Utrecht."}])
    fact = ada.profile().items[0]
    server.script = ["You are at home in Utrecht."]
    agent = ChatAgent(ada, model)
    question = "Write to the town hall for me."
    answer = list(agent.converse(question))[-1] if streamed else agent.chat(question)
    assert isinstance(answer, Answer)
    assert "[facts: user]" in server.asked[-1]["messages"][0]["content"]
    assert answer.sources == (*fact.sources, fact.id)


def test_turns_that_a_caller_brings_go_to_the_model_and_are_not_stored(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    ada.write("The cellar key is behind the boiler.")
    before = [
        Message(role="user", content="The cellar key is behind the boiler."),
        Message(role="assistant", content="Noted."),
    ]
    server.script = ["Behind the boiler."]
    ChatAgent(ada.view(session_id="talk"), model).chat("Where is the key?", turns=before)
    system, *said = server.asked[-1]["messages"]
    assert [(one["role"], one["content"]) for one in said] == [
        *((turn.role, turn.content) for turn in before),
        ("user", "Where is the key?"),
    ]
    assert "boiler" not in system["content"]
    stored = [record.text for record in ada.timeline(newest_first=False)]
    assert stored == ["The cellar key is behind the boiler.", "Where is the key?", "Behind the boiler."]


def test_a_model_is_told_what_is_known_of_the_user_as_it_is_now(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    server.script = ["Noted.", "Noted again.", "Gladly."]
    ChatAgent(ada.view(session_id="spring"), model).chat("I live in Utrecht. Please always answer in Dutch.")
    ChatAgent(ada.view(session_id="summer"), model).chat("We moved to Zwolle.")
    ChatAgent(ada.view(session_id="autumn"), model).chat("Write to the town hall for me.")
    system = server.asked[-1]["messages"][0]["content"]
    assert "[instructions]\n- Please always answer in Dutch." in system
    assert '- We moved to Zwolle. (before: "Utrecht", until ' in system


def test_a_model_has_tools_to_search_its_memory_and_to_add_to_it(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    ada.write("The spare key hangs behind the boiler.", tier="L4")
    agent = ChatAgent(ada, model)
    server.script = [
        {"memory_search": {"query": "spare key"}},
        {"memory_add": {"text": "Ada looks for the spare key on Mondays."}},
        {"memory_get": {"memory_id": "nowhere"}},
        "It hangs behind the boiler.",
    ]
    assert agent.chat("It is Monday again: where is it?").text == "It hangs behind the boiler."
    offered = [tool["function"]["name"] for tool in server.asked[0]["tools"]]
    assert offered == ["memory_search", "memory_get", "memory_add"]
    told = [one["content"] for one in server.asked[-1]["messages"] if one["role"] == "tool"]
    assert "behind the boiler" in told[0] and "error: there is no record 'nowhere' here" in told[2]
    assert ada.search("What does Ada look for on Mondays?")[0].text == "Ada looks for the spare key on Mondays."


def test_a_model_that_only_calls_tools_must_answer_in_the_end(
    server: ModelServer, model: OpenAIModel, ada: View
) -> None:
    again: Scripted = {"memory_search": {"query": "x"}}
    server.script = [again, again, again, again, "I do not know."]
    assert ChatAgent(ada, model).chat("Who am I?").text == "I do not know."
    assert "tools" not in server.asked[-1]


def test_an_agent_is_created_with_the_tiers_it_is_to_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    tiers = MemoryConfig(l1=MemoryLayerConfig(capacity=20, retention_hours=1), l4=MemoryLayerConfig(capacity=1000))
    agent = Agent.create(node_id="memory-agent", system_prompt="You help.", memory_config=tiers)
    assert agent.chat("The cellar key is behind the boiler.").extractive
    stats = agent.memory.get_stats()
    assert (stats["max_l1_size"], stats["max_l4_size"]) == (20, 1000)
