import type { SourceKind } from './sources/open-source.ts'

/** Items that can be imported besides git data. */
export const importItems = ['wiki', 'lfs', 'labels', 'milestones', 'releases', 'issues', 'pull_requests'] as const
export type ImportItem = (typeof importItems)[number]

/** The stored request of an import. */
export interface WantedImport {
  /** Without credentials, query, fragment or a slash at its end. */
  readonly address: string
  /** `git`: only git data, wiki and LFS objects are imported, without an API. */
  readonly service: SourceKind | 'git'
  readonly items: readonly ImportItem[]
  readonly name: string
  /** undefined: the description of the source. */
  readonly description?: string
  readonly isPrivate: boolean
  /** Seconds between updates of a mirror; undefined for a plain import. */
  readonly mirrorSeconds?: number
  /** LFS endpoint, if it does not follow from the address. */
  readonly lfsEndpoint?: string
}

/** The steps of an import in order; unselected ones are skipped. */
export const importSteps = [
  'repository',
  'wiki',
  'lfs',
  'labels',
  'milestones',
  'releases',
  'issues',
  'pull_requests',
  'comments',
  'finish',
] as const
export type ImportStep = (typeof importSteps)[number]

/** Returns the next step, selected or not; after the last one, the last one. */
export const stepAfter = (step: ImportStep): ImportStep => importSteps[importSteps.indexOf(step) + 1] ?? 'finish'

/** Returns whether a step is selected. */
export function isStepWanted(step: ImportStep, { items }: WantedImport): boolean {
  if (step === 'repository' || step === 'finish') return true
  if (step === 'comments') return items.includes('issues') || items.includes('pull_requests')
  return items.includes(step)
}
