import { renderToString } from 'preact-render-to-string'
import { inRepo, repoAdmin } from '../../../access/repo.requirements.ts'
import type { RepoCtx } from '../../../access/context.ts'
import { recentContexts } from '../../../code/statuses/commit-status.service.ts'
import { bytesOf, operation } from '../../../http/operation.ts'
import type { Suggestion } from '../../../issues/references/suggestion.service.ts'
import { globOf } from '../../../lib/glob.ts'
import { peopleWithCode } from '../../../repos/people/candidate.service.ts'
import { listRepoTeams } from '../../../repos/people/team-repo.service.ts'
import { SuggestionList } from '../../lists/suggestion-list.tsx'
import { inBrowser, inSession } from '../../shell/browser.requirements.ts'
import { sendFragment } from '../../shell/send-page.tsx'
import { text } from '../../ui/fields.ts'
import type { RuleList } from './rule-list.tsx'

const shownAtMost = 8
const longestWord = 255

const people =
  (mode: 'read' | 'write') =>
  async (ctx: RepoCtx, word: string): Promise<readonly Suggestion[]> => {
    const { users } = await peopleWithCode(ctx, { mode, word, limit: shownAtMost })
    return users.map(({ name, full_name: detail }) => ({ value: name, text: name, detail }))
  }

const lists: Readonly<Record<RuleList, (ctx: RepoCtx, word: string) => Promise<readonly Suggestion[]>>> = {
  writers: people('write'),
  readers: people('read'),
  async teams(ctx, word) {
    const all = ctx.owner.kind === 'organization' ? await listRepoTeams(ctx) : []
    return all
      .filter((team) => team.lower_name.includes(word))
      .map(({ name, description: detail }) => ({ value: name, text: name, detail }))
  },
  async checks(ctx, word) {
    const recent = await recentContexts(ctx)
    return recent
      .filter((context) => context.toLowerCase().includes(word))
      .map((context) => ({ value: globOf(context), text: context, detail: '' }))
  },
}

const isList = (name: string): name is RuleList => Object.hasOwn(lists, name)

/** Completes a list of a rule for branches or tags with the people, teams or checks of the repository. */
export const suggestForRule = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  method: 'GET',
  path: '/{username}/{reponame}/settings/candidates',
  cost: 'usual',
  requires: [inBrowser, inSession, inRepo, repoAdmin],
  query: { list: text, q: text },
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, query }) {
    const list = query.list ?? ''
    const word = (query.q ?? '').trim().slice(0, longestWord).toLowerCase()
    const found = isList(list) ? await lists[list](ctx, word) : []
    return sendFragment(ctx, renderToString(<SuggestionList found={found.slice(0, shownAtMost)} />))
  },
})
