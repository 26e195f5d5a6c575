import type { RepoCtx, SignedInCtx } from '../../access/context.ts'
import { mayHere } from '../../access/may-here.ts'
import { canWrite, inRepo, notArchived, projectsEnabled } from '../../access/repo.requirements.ts'
import { mode } from '../../access/rights.ts'
import {
  orgViewsReadable,
  orgViewsWritable,
  projectsOfPeopleEnabled,
  type OrgViewsCtx,
} from '../../boards/saved-view.requirements.ts'
import { inOrg } from '../../orgs/org.requirements.ts'
import { inOrganizationFrame, orgPath } from '../frames/organization-frame.tsx'
import { inRepositoryFrame } from '../frames/repository-frame.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { pathOf } from '../ui/paths.ts'
import type { ViewPlace } from './view-place.ts'
import { viewPages } from './view-pages.tsx'

export const {
  listPage: repositoryViewsPage,
  newPage: newRepositoryViewPage,
  create: createRepositoryView,
  viewPage: repositoryViewPage,
  editPage: editRepositoryViewPage,
  edit: editRepositoryView,
  remove: deleteRepositoryView,
  move: moveRepositoryCard,
  place: placeRepositoryCard,
  follow: followRepositoryView,
} = viewPages({
  path: '/{username}/{reponame}/projects',
  twins: 'repo',
  requires: [inRepo, projectsEnabled],
  toChange: [canWrite('projects'), notArchived],
  placeOf: (at: RepoCtx): ViewPlace => ({
    home: { of: 'repository', at },
    path: pathOf(at.owner.name, at.repo.name, 'projects'),
    name: `${at.owner.name}/${at.repo.name}`,
    mayChange: mayHere(at).write('projects').allowed,
  }),
  frame: inRepositoryFrame('projects'),
})

export const {
  listPage: organizationViewsPage,
  newPage: newOrganizationViewPage,
  create: createOrganizationView,
  viewPage: organizationViewPage,
  editPage: editOrganizationViewPage,
  edit: editOrganizationView,
  remove: deleteOrganizationView,
  move: moveOrganizationCard,
  place: placeOrganizationCard,
  follow: followOrganizationView,
} = viewPages({
  path: '/org/{org}/projects',
  twins: 'org',
  requires: [inOrg, orgViewsReadable],
  toChange: [orgViewsWritable],
  placeOf: ({ org, viewsMode }: OrgViewsCtx): ViewPlace => ({
    home: { of: 'organization', org },
    path: orgPath(org, 'projects'),
    name: org.name,
    mayChange: viewsMode >= mode.write,
  }),
  frame: inOrganizationFrame('projects'),
})

export const {
  listPage: ownViewsPage,
  newPage: newOwnViewPage,
  create: createOwnView,
  viewPage: ownViewPage,
  editPage: editOwnViewPage,
  edit: editOwnView,
  remove: deleteOwnView,
  move: moveOwnCard,
  place: placeOwnCard,
  follow: followOwnView,
} = viewPages({
  path: '/user/projects',
  twins: 'user',
  requires: [projectsOfPeopleEnabled, inSession],
  toChange: [],
  placeOf: ({ viewer }: SignedInCtx): ViewPlace => ({
    home: { of: 'person', person: viewer.user },
    path: '/user/projects',
    name: '',
    mayChange: true,
  }),
  frame: async () => (content) => <div class="container">{content}</div>,
})
