import type { LiveEvent, LiveEvents } from '../events/live.ts'
import type { LastingAnswer, LastingAnswers } from '../http/lasting-answers.ts'
import type { Ctx, RepoCtx } from './context.ts'

/** Prefixes of the names of events that may reduce rights, for example of `team.memberRemoved`. */
const subjectsOfRights: ReadonlySet<string> = new Set([
  'access',
  'collaborator',
  'credential',
  'org',
  'repo',
  'team',
  'user',
])

const mayReduceRights = ({ name }: LiveEvent): boolean => subjectsOfRights.has(name.slice(0, name.indexOf('.')))

/** Whether an event names the repository, the owner, the organization or the caller of an answer. */
function concerns({ ids }: LiveEvent, { ctx }: LastingAnswer): boolean {
  const { viewer, repo, owner, org } = ctx as Partial<RepoCtx> & Ctx & { readonly org?: { readonly id: number } }
  const accountIds: readonly (number | undefined)[] = [viewer?.id, owner?.id, org?.id]
  return Object.entries(ids).some(([member, id]) => (member === 'repoId' ? id === repo?.id : accountIds.includes(id)))
}

/**
 * Checks open answers as soon as an event may have reduced the rights of their callers. After lost events it checks all
 * answers.
 * @returns a function that ends the subscription
 */
export const checkOnEvents = (live: LiveEvents, answers: Pick<LastingAnswers, 'checkSoon'>): (() => void) =>
  live.listen({
    heard: (event) => {
      if (mayReduceRights(event)) answers.checkSoon((answer) => concerns(event, answer))
    },
    missed: () => answers.checkSoon(() => true),
  })
