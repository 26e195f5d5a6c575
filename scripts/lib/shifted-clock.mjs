/**
 * Shifts the clock of a process, as on a machine whose clock is wrong: Node loads it before the program. The variable
 * CLOCK_SHIFT_SECONDS has the shift.
 */
const shiftMs = Number(process.env.CLOCK_SHIFT_SECONDS) * 1000
if (!Number.isFinite(shiftMs)) throw new Error('CLOCK_SHIFT_SECONDS is not a number')
const rightNow = Date.now
Date.now = () => rightNow() + shiftMs
globalThis.Date = new Proxy(Date, {
  apply: (target) => new target(target.now()).toString(),
  construct: (target, given, asked) => Reflect.construct(target, given.length === 0 ? [target.now()] : given, asked),
})
