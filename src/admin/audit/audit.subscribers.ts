import { recordAct } from '../../audit/audit.ts'
import { subscriber } from '../../events/subscriber.ts'

/** Writes audit entries for events, in their transaction. */
export const auditAccounts = subscriber({
  name: 'auditAccounts',
  on: ['user.created', 'user.deleted', 'user.renamed', 'user.edited', 'user.blocked', 'user.unblocked', 'org.edited'],
  async inTransaction(tx, { name, data }) {
    const about = (id: number, of?: string) => ({
      kind: 'account' as const,
      id,
      ...(of === undefined ? {} : { name: of }),
    })
    const { doerId } = data
    if (name === 'user.deleted') {
      const details = { purged: data.purged === true }
      return recordAct(tx, { action: name, doerId, about: about(data.userId, data.name), details })
    }
    if (name === 'user.renamed') {
      const details = { from: data.oldName }
      return recordAct(tx, { action: name, doerId, about: about(data.userId, data.newName), details })
    }
    if (name === 'user.blocked' || name === 'user.unblocked') {
      const details = { for: data.blockerId }
      return recordAct(tx, { action: name, doerId, about: about(data.blockedId), details })
    }
    if (name === 'org.edited') {
      const changed = rightsOfOrg.filter((each) => data[each] !== undefined).map(changedName)
      if (changed.length === 0) return
      return recordAct(tx, {
        action: name,
        doerId,
        about: { kind: 'organization', id: data.orgId },
        details: { changed },
      })
    }
    if (name === 'user.created') return recordAct(tx, { action: name, doerId, about: about(data.userId) })
    const changed = rightsOfAccount.filter((each) => data[each] !== undefined).map(changedName)
    if (changed.length === 0) return
    return recordAct(tx, { action: name, doerId, about: about(data.userId), details: { changed } })
  },
})

/** Attributes of an account that affect rights, visibility or recovery mail. */
const rightsOfAccount = [
  'oldIsAdmin',
  'oldIsRestricted',
  'oldIsActive',
  'oldProhibitLogin',
  'oldEmail',
  'oldVisibility',
] as const

/** Attributes of an organization that affect visibility and rights. */
const rightsOfOrg = ['oldVisibility', 'oldRepoAdminChangeTeamAccess', 'oldEmail'] as const

/** `oldIsAdmin` → `is admin`. */
const changedName = (member: string): string =>
  member
    .replace(/^old/, '')
    .replace(/(?<!^)[A-Z]/g, ' $&')
    .toLowerCase()

export const auditTeams = subscriber({
  name: 'auditTeams',
  on: [
    'team.created',
    'team.edited',
    'team.deleted',
    'team.memberAdded',
    'team.memberRemoved',
    'team.repoAdded',
    'team.repoRemoved',
  ],
  async inTransaction(tx, { name, data }) {
    await recordAct(tx, {
      action: name,
      doerId: data.doerId,
      about: { kind: 'team', id: data.teamId, ...('name' in data ? { name: data.name } : {}) },
      details: {
        organization: data.orgId,
        ...('userId' in data ? { account: data.userId } : {}),
        ...('repoId' in data ? { repository: data.repoId } : {}),
      },
    })
  },
})

export const auditRepositories = subscriber({
  name: 'auditRepositories',
  on: [
    'repo.deleted',
    'repo.renamed',
    'repo.transferred',
    'repo.visibilityChanged',
    'collaborator.added',
    'collaborator.changed',
    'collaborator.removed',
  ],
  async inTransaction(tx, { name, data }) {
    await recordAct(tx, {
      action: name,
      doerId: data.doerId,
      about: {
        kind: 'repository',
        id: data.repoId,
        ...(name === 'repo.deleted' ? { name: `${data.ownerName}/${data.name}` } : {}),
      },
      details: {
        ...('isPrivate' in data ? { private: data.isPrivate } : {}),
        ...(name === 'repo.transferred' ? { from: `${data.oldOwnerName}/${data.oldName}` } : {}),
        ...(name === 'repo.renamed' ? { from: data.oldName } : {}),
        ...('userId' in data ? { account: data.userId } : {}),
        ...('mode' in data ? { mode: data.mode } : {}),
      },
    })
  },
})

export const auditInvitations = subscriber({
  name: 'auditInvitations',
  on: ['invitation.created', 'invitation.revoked', 'invitation.accepted', 'invitation.declined'],
  async inTransaction(tx, { name, data }) {
    const { doerId, teamId, repoId, orgId, inviterId, mode } = data
    await recordAct(tx, {
      action: name,
      doerId,
      about: repoId === undefined ? { kind: 'team', id: teamId ?? null } : { kind: 'repository', id: repoId },
      details: {
        ...(orgId === undefined ? { mode } : { organization: orgId }),
        ...(inviterId === doerId ? {} : { inviter: inviterId }),
      },
    })
  },
})
