import { canWrite, inRepo, notArchived, projectsEnabled } from '../access/repo.requirements.ts'
import { signedIn } from '../access/requirements.ts'
import { inOrg } from '../orgs/org.requirements.ts'
import { viewOperations } from './saved-view.operations.ts'
import { orgViewsReadable, orgViewsWritable, projectsOfPeopleEnabled } from './saved-view.requirements.ts'

export const {
  list: repoListViews,
  create: repoCreateView,
  get: repoGetView,
  edit: repoEditView,
  remove: repoDeleteView,
  listColumns: repoListViewColumns,
  listIssues: repoListViewIssues,
  move: repoMoveViewCard,
} = viewOperations({
  path: '/repos/{username}/{reponame}/views',
  scope: 'issue',
  requires: [inRepo, projectsEnabled],
  toChange: [canWrite('projects'), notArchived],
  ownerOf: (at) => ({ of: 'repository', at }),
  whose: 'of a repository',
})

export const {
  list: orgListViews,
  create: orgCreateView,
  get: orgGetView,
  edit: orgEditView,
  remove: orgDeleteView,
  listColumns: orgListViewColumns,
  listIssues: orgListViewIssues,
  move: orgMoveViewCard,
} = viewOperations({
  path: '/orgs/{org}/views',
  scope: ['organization', 'issue'],
  requires: [inOrg, orgViewsReadable],
  toChange: [orgViewsWritable],
  ownerOf: ({ org }) => ({ of: 'organization', org }),
  whose: 'of an organization',
})

export const {
  list: userListViews,
  create: userCreateView,
  get: userGetView,
  edit: userEditView,
  remove: userDeleteView,
  listColumns: userListViewColumns,
  listIssues: userListViewIssues,
  move: userMoveViewCard,
} = viewOperations({
  path: '/user/views',
  scope: ['user', 'issue'],
  requires: [projectsOfPeopleEnabled, signedIn],
  toChange: [],
  ownerOf: ({ viewer }) => ({ of: 'person', person: viewer.user }),
  whose: 'of the caller',
})
