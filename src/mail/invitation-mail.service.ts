import type { Services } from '../access/context.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { InvitationId } from '../lib/ids.ts'
import { TooManyRequests } from '../lib/errors.ts'
import { invitationLimits } from '../repos/invitations/invitation-limits.ts'
import {
  findInvitationTarget,
  findOpenInvitation,
  isBlockedFrom,
  linkOfInvitation,
} from '../repos/invitations/invitation.service.ts'
import { validSeconds, type InvitationTarget } from '../repos/invitations/invitation.rules.ts'
import { findInvitation } from '../repos/invitations/invitation.store.ts'
import { findEmail, findUserById } from '../users/user.store.ts'
import { composeMail, link, paragraph } from './compose.tsx'
import { sendOrGiveUp } from './send-or-give-up.ts'
import { textsFor } from './texts/texts.ts'

/** Returns the name of what an invitation gives, as mails write it. */
const nameOf = (target: InvitationTarget): string =>
  target.kind === 'team' ? target.org.name : `${target.owner.name}/${target.repo.name}`

/**
 * Mails an invitation to its address. Nothing is sent about an invitation that has ended, to a person who is blocked or
 * blocks, and to an address with too many invitations within the hour. The inviter does not learn which.
 */
export async function mailInvitationLink(services: Services, id: InvitationId): Promise<void> {
  const { db, config, mailer } = services
  const invitation = await findInvitation(db, id)
  if (!invitation || invitation.email === '' || !mailer.isEnabled) return
  const open = await findOpenInvitation(services, invitation)
  if (!open) return
  const { target, inviter } = open
  const known = await findPersonOf(services, invitation.email)
  if (known && (await isBlockedFrom(services, open, known))) return
  if (isLimitReached(services, invitation.lower_email)) return
  const { language, invitation: texts } = textsFor(config, (known ?? inviter).language)
  const { appName } = config.instance
  const blocks = [
    paragraph(
      target.kind === 'team'
        ? texts.toTeam(inviter.name, target.org.name, target.team.name, appName)
        : texts.toRepository(inviter.name, nameOf(target), appName),
    ),
    link(texts.show, linkOfInvitation(services, invitation)),
    paragraph(texts.lasts(validSeconds / 86_400)),
    paragraph(texts.unexpected),
  ]
  const subject = texts.subject(inviter.name, nameOf(target))
  const parts = { subject, id: `invitation-${id}-${invitation.created_unix}`, blocks, language }
  await sendOrGiveUp(services, { to: invitation.email, ...composeMail(config, parts) })
}

/** Returns the account that has confirmed an address. */
async function findPersonOf({ db }: Services, address: string): Promise<UserRow | undefined> {
  const email = await findEmail(db, address)
  return email?.is_activated ? findUserById(db, email.user_id) : undefined
}

function isLimitReached(services: Services, lowerEmail: string): boolean {
  try {
    invitationLimits.of(services).mailed.take(lowerEmail)
    return false
  } catch (error) {
    if (error instanceof TooManyRequests) return true
    throw error
  }
}

/**
 * Mails the inviter who accepted an invitation, because a link can reach another person than the invited one. Like mails about
 * credentials, it does not depend on the notifications that the inviter wants.
 */
export async function mailAcceptance(services: Services, id: InvitationId): Promise<void> {
  const { db, config, mailer } = services
  const invitation = await findInvitation(db, id)
  if (!invitation || invitation.accepted_by_id === null || !mailer.isEnabled) return
  const [target, inviter, person] = await Promise.all([
    findInvitationTarget(services, invitation),
    findUserById(db, invitation.inviter_id),
    findUserById(db, invitation.accepted_by_id),
  ])
  if (!target || !inviter || !person || inviter.email === '') return
  const { language, invitation: texts, welcome } = textsFor(config, inviter.language)
  const parts = {
    subject: texts.acceptedSubject(person.name, nameOf(target)),
    id: `invitation-accepted-${id}-${invitation.created_unix}`,
    blocks: [
      paragraph(welcome.hello(inviter.full_name || inviter.name)),
      paragraph(
        invitation.email === ''
          ? texts.acceptedLink(person.name, nameOf(target))
          : texts.accepted(person.name, nameOf(target), invitation.email),
      ),
      link(person.name, `${config.server.rootUrl}${person.name}`),
    ],
    language,
  }
  await sendOrGiveUp(services, { to: inviter.email, ...composeMail(config, parts) })
}
