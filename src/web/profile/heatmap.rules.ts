const secondsPerDay = 86_400

/** A day of the heat map. */
export interface HeatDay {
  /** Days since 1970 in UTC. */
  readonly day: number
  readonly count: number
  /** 0 for none to 4 for the most. */
  readonly level: 0 | 1 | 2 | 3 | 4
}

/** Weeks from Sunday to Saturday, the oldest first; the last one ends with today. */
export function weeksOf(
  cells: readonly { readonly cell: number; readonly count: number }[],
  nowUnix: number,
): readonly (readonly HeatDay[])[] {
  const today = Math.floor(nowUnix / secondsPerDay)
  // 1970-01-01 was a Thursday, the fifth day of its week.
  const weekday = (today + 4) % 7
  const first = today - weekday - 52 * 7
  const counts = new Map<number, number>()
  for (const { cell, count } of cells) {
    const day = Math.floor(cell / secondsPerDay)
    counts.set(day, (counts.get(day) ?? 0) + count)
  }
  const most = Math.max(1, ...counts.values())
  const days = Array.from({ length: today - first + 1 }, (_, index): HeatDay => {
    const count = counts.get(first + index) ?? 0
    const level = count === 0 ? 0 : (Math.min(4, Math.ceil((count / most) * 4)) as 1 | 2 | 3 | 4)
    return { day: first + index, count, level }
  })
  return Array.from({ length: Math.ceil(days.length / 7) }, (_, week) => days.slice(week * 7, week * 7 + 7))
}
