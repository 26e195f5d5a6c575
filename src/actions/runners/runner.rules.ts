/** A runner is online for this time after its last call, in milliseconds (contract, actions). */
const onlineMs = 60_000

/** Returns whether a runner that called at a time, in milliseconds, is online now. */
export const isOnline = (calledMs: number, nowMs: number): boolean => nowMs - calledMs < onlineMs
