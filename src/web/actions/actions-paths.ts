import type { ActionAnnotationRow, ActionRunRow } from '../../db/tables/actions.ts'
import { branchOf, tagOf } from '../../lib/refs.ts'
import { pathOf, withQuery } from '../ui/paths.ts'

/** The names of a repository in addresses. */
export interface RepoNames {
  readonly owner: { readonly name: string }
  readonly repo: { readonly name: string }
}

type Run = Pick<ActionRunRow, 'number'>

export const actionsPath = ({ owner, repo }: RepoNames, query: Readonly<Record<string, string | undefined>> = {}) =>
  withQuery(pathOf(owner.name, repo.name, 'actions'), query)

/** Returns the address of an act on a workflow; its file name may contain slashes. */
export const workflowPath = ({ owner, repo }: RepoNames, workflow: string, act: string): string =>
  `${pathOf(owner.name, repo.name, 'actions', 'workflows')}/${encodeURIComponent(workflow)}/${act}`

export const runPath = ({ owner, repo }: RepoNames, { number }: Run, ...more: readonly (string | number)[]): string =>
  pathOf(owner.name, repo.name, 'actions', 'runs', number, ...more)

export const jobPath = (
  names: RepoNames,
  run: Run,
  { position }: { readonly position: number },
  ...more: readonly (string | number)[]
): string => runPath(names, run, 'jobs', position, ...more)

/** Returns the line of the log of a job, from 0: the page opens the step that it belongs to. */
export const logLinePath = (names: RepoNames, run: Run, job: { readonly position: number }, line: number): string =>
  `${withQuery(jobPath(names, run, job), { line: line + 1 })}#L${line + 1}`

export const artifactPath = (names: RepoNames, run: Run, name: string): string =>
  `${runPath(names, run, 'artifacts')}/${encodeURIComponent(name)}`

/** Returns the page of the reference that a run belongs to; undefined for a bare commit. */
export function headPath({ owner, repo }: RepoNames, run: Pick<ActionRunRow, 'ref' | 'head'>): string | undefined {
  const pull = /^#(\d+)$/.exec(run.head)?.[1]
  if (pull !== undefined) return pathOf(owner.name, repo.name, 'pulls', pull)
  // The reference of a scheduled run is the bare name of a branch.
  const branch = branchOf(run.ref) ?? (run.ref === run.head ? run.head : undefined)
  if (branch !== undefined) return pathOf(owner.name, repo.name, 'src', 'branch', branch)
  const tag = tagOf(run.ref)
  return tag === undefined ? undefined : pathOf(owner.name, repo.name, 'src', 'tag', tag)
}

export const commitPath = ({ owner, repo }: RepoNames, oid: string): string =>
  pathOf(owner.name, repo.name, 'commit', oid)

/** Returns the page of the environments, or of the deployments to one. */
export const environmentPath = ({ owner, repo }: RepoNames, name?: string): string =>
  withQuery(pathOf(owner.name, repo.name, 'actions', 'environments'), { name })

/** Returns the lines of a file at a commit. */
export function fileAtPath(
  { owner, repo }: RepoNames,
  oid: string,
  { path, start_line: first, end_line: last }: Pick<ActionAnnotationRow, 'path' | 'start_line' | 'end_line'>,
): string {
  const file = pathOf(owner.name, repo.name, 'src', 'commit', oid, ...path.split('/'))
  return first === 0 ? file : `${file}#L${first}${last > first ? `-L${last}` : ''}`
}

export const workflowBadgePath = (names: RepoNames, workflow: string): string =>
  workflowPath(names, workflow, 'badge.svg')
