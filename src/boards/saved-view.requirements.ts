import type { Ctx, SignedInCtx } from '../access/context.ts'
import { switchedOn } from '../access/requirements.ts'
import { mode } from '../access/rights.ts'
import type { AccessMode } from '../db/tables/accounts.ts'
import type { Requirement } from '../http/operation.ts'
import { Forbidden, NotFound } from '../lib/errors.ts'
import type { OrgCtx } from '../orgs/org.requirements.ts'
import { hasProjects, viewsModeIn } from './saved-view.service.ts'

/** An organization with the viewer's access to its views. */
export interface OrgViewsCtx extends OrgCtx {
  readonly viewsMode: AccessMode
}

/** The viewer reads the views of the organization: it is open to them, or a team of theirs has the unit of projects. */
export const orgViewsReadable: Requirement<OrgCtx, Pick<OrgViewsCtx, 'viewsMode'>> = {
  codes: ['viewsRead'],
  refuses: [404],
  async check(ctx) {
    const viewsMode = await viewsModeIn(ctx, ctx.org)
    if (viewsMode < mode.read) throw new NotFound('projects are not available here', 'unit_unavailable')
    return { viewsMode }
  },
}

/** The viewer changes the views of the organization: a team of theirs may write projects. */
export const orgViewsWritable: Requirement<OrgViewsCtx & SignedInCtx, object> = {
  codes: ['viewsWrite'],
  refuses: [403],
  check({ viewsMode }) {
    if (viewsMode < mode.write) throw new Forbidden('you may not write projects', 'unit_unwritable')
    return {}
  },
}

/** The instance has the unit of projects. */
export const projectsOfPeopleEnabled: Requirement<Ctx, object> = switchedOn('projectsOfPeopleEnabled', hasProjects)
