import { Invalid } from '../../lib/errors.ts'
import {
  acceptInvitation,
  declineInvitation,
  isForAddressOf,
  openInvitation,
} from '../../repos/invitations/invitation.service.ts'
import { offersSignUp } from '../../users/entry/registration.rules.ts'
import { orgPath } from '../frames/organization-frame.tsx'
import { invitationTexts } from '../languages/texts.ts'
import { act, nothingTyped, page } from '../shell/page.tsx'
import { textUpTo } from '../ui/fields.ts'
import { pathOf } from '../ui/paths.ts'
import { InvitationView } from './invitation.view.tsx'

const texts = invitationTexts.page
const text = textUpTo(255)

/**
 * Shows the invitation of a link to people who are signed in. Guests learn only that there is one. Opening the page changes
 * nothing, because mail programs open links.
 */
export const invitationPage = page({
  path: '/user/invitation',
  twin: null,
  cost: 'usual',
  requires: [],
  query: { code: text },
  isSecret: true,
  async load({ ctx, query: { code = '' } }) {
    const { viewer } = ctx
    const open = await openInvitation(ctx, code)
    return {
      code,
      open: viewer ? open : undefined,
      isForAddress: viewer !== undefined && (await isForAddressOf({ ...ctx, viewer }, open)),
      offersSignUp: offersSignUp(ctx.config),
    }
  },
  meta: () => ({ title: texts.title, isUnlisted: true }),
  view: InvitationView,
})

/** Accepts or declines the invitation of a link. */
export const answerInvitationSubmit = act({
  path: '/user/invitation',
  twin: null,
  cost: 'usual',
  requires: [],
  fields: { code: text, answer: text },
  outlivesCredential: true,
  again: nothingTyped,
  async run({ ctx, body: { code = '', answer } }) {
    if (answer === 'decline') {
      await declineInvitation(ctx, code)
      return { to: '/', notice: texts.declined }
    }
    if (answer !== 'accept') throw new Invalid('[answer]: must be accept or decline', 'answer_invalid')
    const { target } = await acceptInvitation(ctx, code)
    return target.kind === 'team'
      ? {
          to: orgPath(target.org, 'teams', target.team.lower_name),
          notice: texts.joined(target.team.name, target.org.name),
        }
      : {
          to: pathOf(target.owner.name, target.repo.name),
          notice: texts.shared(`${target.owner.name}/${target.repo.name}`),
        }
  },
})
