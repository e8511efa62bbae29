// The client of a Foveal server.
export * from "./errors.js";
export { Memory, type ChatEvent, type MemoryOptions, type Message } from "./memory.js";
export type { Answer, Arguments, Operation, Schemas, Viewpoint } from "./operations.js";
export type { CallOptions } from "./transport.js";
