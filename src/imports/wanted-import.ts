import type { SourceKind } from './sources/open-source.ts'

/** What of a repository is brought along, besides its git data. */
export const importItems = ['wiki', 'lfs', 'labels', 'milestones', 'releases', 'issues', 'pull_requests'] as const
export type ImportItem = (typeof importItems)[number]

/** What is imported, from where, and what becomes of it: as the row of an import keeps it. */
export interface WantedImport {
  /** Without credentials, query, fragment or a slash at its end. */
  readonly address: string
  /** `git`: no API is asked, only git data, wiki and LFS objects come along. */
  readonly service: SourceKind | 'git'
  readonly items: readonly ImportItem[]
  readonly name: string
  /** undefined: what the other server says. */
  readonly description?: string
  readonly isPrivate: boolean
  /** Seconds between updates of a mirror; undefined: it does not follow the original. */
  readonly mirrorSeconds?: number
  /** Where LFS objects are asked for, when that is not said by the address. */
  readonly lfsEndpoint?: string
}

/** The steps of an import, in their order; what is not wanted is passed over. */
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

/** Whether a step has anything to do. */
export function isStepWanted(step: ImportStep, { items }: WantedImport): boolean {
  if (step === 'repository' || step === 'finish') return true
  if (step === 'comments') return items.includes('issues') || items.includes('pull_requests')
  return items.includes(step)
}
