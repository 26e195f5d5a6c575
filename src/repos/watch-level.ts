import type { WatchMode } from '../db/tables/repositories.ts'

/** What an account hears of a repository: each level includes those after it. */
export const watchLevels = ['all', 'releases', 'participating', 'nothing'] as const
export type WatchLevel = (typeof watchLevels)[number]

const levels: Readonly<Record<WatchMode, WatchLevel>> = {
  normal: 'all',
  auto: 'all',
  releases: 'releases',
  dont: 'participating',
  nothing: 'nothing',
}

/** Returns the level of a stored mode; without one, an account hears of what it takes part in. */
export const levelOf = (mode: WatchMode | undefined): WatchLevel =>
  mode === undefined ? 'participating' : levels[mode]

/** Returns whether accounts with this mode count as watchers of the repository. */
export const isWatching = (mode: WatchMode | undefined): boolean => levelOf(mode) === 'all'

/** Returns the mode that stores the level that an account chooses. */
export const modeOf = (level: WatchLevel): Exclude<WatchMode, 'auto'> =>
  level === 'all' ? 'normal' : level === 'participating' ? 'dont' : level
