import { siteAdmin } from '../../../access/requirements.ts'
import { pageOf } from '../../../lib/paging.ts'
import { pageOfEmails } from '../../../users/email.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { page } from '../../shell/page.tsx'
import { inAdministration } from '../administration-frame.tsx'
import { EmailsView } from './emails.view.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { integer, text } from '../../ui/fields.ts'

/** Lists the email addresses of the instance. */
export const administrationEmailsPage = page({
  path: '/admin/emails',
  twin: 'adminGetAllEmails',
  cost: 'usual',
  requires: [inSession, siteAdmin],
  query: { q: text, page: integer },
  frame: inAdministration('emails'),
  async load({ ctx, query }) {
    const shown = pageOf({ page: query.page }, ctx.config.api)
    return { ...(await pageOfEmails(ctx, (query.q ?? '').trim(), shown)), shown, text: query.q ?? '' }
  },
  meta: () => ({ title: texts.emails, isUnlisted: true }),
  view: EmailsView,
})
