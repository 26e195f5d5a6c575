import { signedIn } from '../../access/requirements.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { labelOperations } from './label.operations.ts'

export const {
  list: orgListLabels,
  create: orgCreateLabel,
  get: orgGetLabel,
  edit: orgEditLabel,
  remove: orgDeleteLabel,
} = labelOperations({
  path: '/orgs/{org}/labels',
  scope: 'organization',
  requires: [inOrg],
  toGet: [signedIn],
  toChange: [signedIn, orgOwner],
  ownerOf: ({ org }) => ({ home: { orgId: org.id }, of: { owner: org } }),
  // A new organization label is never archived, even when the request says so (observed).
  createsArchived: false,
  summaries: {
    list: 'List the labels of an organization',
    create: 'Create a label of an organization',
    get: 'Get a label of an organization by its id or name',
    edit: 'Edit a label of an organization',
    remove: 'Delete a label of an organization',
  },
})
