import type { LiveEvent, LiveEvents } from '../events/live.ts'
import type { LastingAnswer, LastingAnswers } from '../http/lasting-answers.ts'
import type { Ctx, RepoCtx } from './context.ts'

/** Events after which somebody may have fewer rights, by the thing that they are about. */
const thingsOfRights: ReadonlySet<string> = new Set([
  'access',
  'collaborator',
  'credential',
  'org',
  'repo',
  'team',
  'user',
])

const changesRights = ({ name }: LiveEvent): boolean => thingsOfRights.has(name.slice(0, name.indexOf('.')))

/** Whether an event is about the repository, the owner or the caller of an answer. */
function concerns({ ids }: LiveEvent, { ctx }: LastingAnswer): boolean {
  const { viewer, repo, owner, org } = ctx as Partial<RepoCtx> & Ctx & { readonly org?: { readonly id: number } }
  const own: readonly (number | undefined)[] = [viewer?.id, owner?.id, org?.id]
  return Object.entries(ids).some(([member, id]) => (member === 'repoId' ? id === repo?.id : own.includes(id)))
}

/** Has lasting answers checked as soon as an event says that rights may have changed. @returns what ends that */
export const checkOnEvents = (live: LiveEvents, answers: Pick<LastingAnswers, 'checkSoon'>): (() => void) =>
  live.listen({
    heard: (event) => {
      if (changesRights(event)) answers.checkSoon((answer) => concerns(event, answer))
    },
    missed: () => answers.checkSoon(() => true),
  })
