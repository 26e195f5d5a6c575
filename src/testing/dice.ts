/** Returns a pseudo-random generator for a seed (a linear congruential generator). */
export function dice(seed: number) {
  let state = BigInt(seed)
  const below = (limit: number): number => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn
    return Number(state >> 33n) % limit
  }
  return {
    below,
    chance: (percent: number): boolean => below(100) < percent,
    of: <Each>(all: readonly Each[]): Each => all[below(all.length)] as Each,
    some: <Each>(all: readonly Each[], percent: number): Each[] => all.filter(() => below(100) < percent),
  }
}
