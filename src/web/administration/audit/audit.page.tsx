import { siteAdmin } from '../../../access/requirements.ts'
import { loadAuditedNames } from '../../../admin/audit/audit-names.service.ts'
import { getEntries } from '../../../admin/audit/audit.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { page } from '../../shell/page.tsx'
import { inAdministration } from '../administration-frame.tsx'
import { AuditView } from './audit.view.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { integer, text } from '../../ui/fields.ts'

/** Entries of the audit log on one page. */
const pageSize = 50

/** Shows the audit log, newest first. */
export const administrationAuditPage = page({
  path: '/admin/audit',
  twin: 'adminReadAuditLog',
  cost: 'usual',
  requires: [inSession, siteAdmin],
  query: {
    actor: text,
    action: text,
    outcome: text,
    before: integer,
  },
  frame: inAdministration('audit'),
  async load({ ctx, query }) {
    const filter = {
      actor: query.actor || undefined,
      action: query.action || undefined,
      outcome: query.outcome || undefined,
    }
    const found = await getEntries(ctx, filter, { before: query.before, limit: pageSize + 1 })
    const entries = found.slice(0, pageSize)
    const names = await loadAuditedNames(ctx, entries)
    return { entries, names, filter, isFirst: query.before === undefined, hasMore: found.length > pageSize }
  },
  meta: () => ({ title: texts.audit, isUnlisted: true }),
  view: AuditView,
})
