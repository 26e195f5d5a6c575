import { renderToString } from 'preact-render-to-string'
import { bytesOf, operation } from '../../http/operation.ts'
import { browseRepos } from '../../repos/lists/browse.service.ts'
import { getPinnedRepos, mustPin, pinRepos } from '../../repos/social/pinned.service.ts'
import { namedUser } from '../../users/subject.requirements.ts'
import { SuggestionList } from '../lists/suggestion-list.tsx'
import { profileTexts as texts } from '../languages/texts.ts'
import { inBrowser, inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { sendFragment } from '../shell/send-page.tsx'
import { text } from '../ui/fields.ts'
import { pathOf } from '../ui/paths.ts'
import { pinsForm, PinsView } from './pins.view.tsx'

const shownAtMost = 8
const longestWord = 255

/** The form of the repositories that the page of an account begins with. */
export const pinsPage = page({
  path: '/{username}/-/pins',
  twin: null,
  cost: 'usual',
  requires: [inSession, namedUser],
  async load({ ctx }) {
    await mustPin(ctx)
    return { subject: ctx.subject, pinned: await getPinnedRepos(ctx) }
  },
  meta: () => ({ title: texts.choosePinned, isUnlisted: true }),
  view: PinsView,
})

/** Chooses the repositories that the page of an account begins with. */
export const choosePins = act({
  path: '/{username}/-/pins',
  twin: null,
  cost: 'usual',
  requires: [namedUser],
  ...pinsForm.act,
  edits: true,
  again: pinsPage,
  async run({ ctx, body }) {
    await pinRepos(ctx, pinsForm.read(body).repositories)
    return { to: pathOf(ctx.subject.name), notice: texts.pinnedSaved }
  },
})

/** Completes the names of repositories to pin: those of the organization, or those that the person owns or contributes to. */
export const suggestPins = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  method: 'GET',
  path: '/{username}/-/pins/candidates',
  cost: 'usual',
  requires: [inBrowser, inSession, namedUser],
  query: { q: text },
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, query }) {
    await mustPin(ctx)
    const { subject } = ctx
    const word = (query.q ?? '').slice(0, longestWord)
    const set = subject.kind === 'organization' ? { ownedBy: subject } : { contributedToBy: subject.id }
    const first = { number: 1, limit: shownAtMost, offset: 0 }
    const { repos } = await browseRepos(ctx, set, { text: word.slice(word.indexOf('/') + 1) }, first)
    const found = repos.map(({ repo, owner }) => {
      const name = `${owner.name}/${repo.name}`
      return { value: name, text: name, detail: repo.description.slice(0, 80).toWellFormed() }
    })
    return sendFragment(ctx, renderToString(<SuggestionList found={found} />))
  },
})
