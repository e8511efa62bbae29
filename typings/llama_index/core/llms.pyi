from llama_index.core.base.llms.types import ChatMessage as ChatMessage
