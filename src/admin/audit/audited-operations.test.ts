import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMessage, generateKey, sign } from 'openpgp'
import { TestRunner } from '../../actions/actions.test-support.ts'
import { startForge, testPassword, type Forge } from '../../testing/forge.ts'
import { publicKey } from '../../testing/samples.ts'

/** Paths of security-relevant operations. */
const matters =
  /\/(?:keys|gpg_keys|gpg_key_verify|tokens|secrets|variables|hooks|oauth2|grants|sources|sessions|collaborators|invitations|teams|members|[a-z]+_protections|transfer|quota|unadopted|cron|emails|runners|registration-token|block|unblock|users|push_mirrors|orgs|rename|approve|settings)(?:\/|$)/

/** Operations whose path matches but that change nothing security-relevant. */
const quiet: Readonly<Record<string, string>> = {
  orgPublicizeMember: 'members show themselves',
  orgConcealMember: 'members hide themselves',
  repoTestHook: 'sends what the hook sends anyway',
  repoRedeliverHookDelivery: 'sends again',
  repoRedeliverHookDeliveries: 'sends again',
  orgRedeliverHookDelivery: 'sends again',
  orgRedeliverHookDeliveries: 'sends again',
  userRedeliverHookDelivery: 'sends again',
  userRedeliverHookDeliveries: 'sends again',
  adminRedeliverHookDelivery: 'sends again',
  adminRedeliverHookDeliveries: 'sends again',
  rejectRepoTransfer: 'nothing changes hands',
  updateUserSettings: 'how a profile looks',
  adminTestSignInSource: 'asks, and changes nothing',
  adminCreateRepo: 'making a repository gives nobody anything',
  createOrgRepo: 'making a repository gives nobody anything',
  createOrgRepoDeprecated: 'making a repository gives nobody anything',
  orgCreateLabel: 'labels',
  orgEditLabel: 'labels',
  orgDeleteLabel: 'labels',
  orgUpdateAvatar: 'pictures',
  orgDeleteAvatar: 'pictures',
  orgCreateView: 'saved views',
  orgEditView: 'saved views',
  orgDeleteView: 'saved views',
  orgMoveViewCard: 'a change of the issue, as its own operations make',
  repoPushMirrorSync: 'sends what the mirror sends anyway',
}

/** Operations whose entries other tests check. */
const elsewhere: Readonly<Record<string, string>> = {
  userRevokeOAuth2Grant: 'grant.revoked',
  userEndSession: 'session.ended',
  adminAdoptRepository: 'repo.adopted',
  adminDeleteUnadoptedRepository: 'unadopted.deleted',
  approveWorkflowRun: 'run.approved',
}

test('adminReadAuditLog: each security-relevant operation writes an entry', async () => {
  await using forge = await startForge({
    users: ['alice', 'bob'],
    settings: {
      quota: { ENABLED: true },
      security: { DISABLE_GIT_HOOKS: false },
      migrations: { ALLOW_LOCALNETWORKS: true },
      webhook: { ALLOWED_HOST_LIST: '*' },
    },
  })
  const requested = new Set<string>()
  const missing: string[] = []
  const operations = new Map(forge.services.operations().map((each) => [each.id, each]))
  const countOf = async (id: string): Promise<number> => {
    const rows = forge.services.db.selectFrom('audit_entry').select('id').where('operation', '=', id)
    return (await rows.where('outcome', '=', 'done').execute()).length
  }
  /** Sends a request that must succeed and write an entry; returns its reply. */
  async function act(id: string, who: string, path: string, body?: object): Promise<Answer> {
    const operation = operations.get(id)
    assert.ok(operation, `there is no operation ${id}`)
    requested.add(id)
    const before = await countOf(id)
    const vendor = operation.base === 'vendor'
    const client = id === 'userCreateToken' || id === 'userDeleteAccessToken' ? withPassword(forge, who) : forge.as(who)
    const address = vendor ? `/api/service/v1${path}` : path
    const reply = await client.send(operation.method, address, body, vendor ? { site: true } : {})
    assert.ok(reply.status < 300, `${id}: ${reply.status} ${reply.text.slice(0, 200)}`)
    if ((await countOf(id)) === before) missing.push(id)
    return reply.json ?? {}
  }
  await accounts(act, forge)
  await repositories(act, forge)
  await organizations(act, forge)
  await instance(act)
  await runners(act, forge)
  assert.deepEqual(missing, [], 'they write no entry')

  const changing = [...operations.values()].filter(({ method, base }) => method !== 'GET' && base !== 'site')
  const unaudited = changing.filter(
    ({ id, path }) =>
      matters.test(path) && !requested.has(id) && !Object.hasOwn(quiet, id) && !Object.hasOwn(elsewhere, id),
  )
  assert.deepEqual(
    unaudited
      .filter(({ path }) => !/\/(?:packages|issues|pulls|activitypub)\//.test(path))
      .map(({ id, path }) => `${id} ${path}`),
    [],
    'say whether they matter: ask them here, or list them as quiet',
  )
  const listed = [...Object.keys(quiet), ...Object.keys(elsewhere)]
  assert.deepEqual(
    listed.filter((id) => !operations.has(id)),
    [],
  )
})

// oxlint-disable-next-line no-explicit-any -- answers of many shapes
type Answer = any
type Act = (id: string, who: string, path: string, body?: object) => Promise<Answer>

const withPassword = (forge: Forge, login: string) => forge.as(login, { basic: { login, password: testPassword } })

async function accounts(act: Act, forge: Forge): Promise<void> {
  const dave = { username: 'dave', email: 'dave@example.com', password: 'Passw0rd!', must_change_password: false }
  await act('adminCreateUser', 'root', '/admin/users', dave)
  await act('adminEditUser', 'root', '/admin/users/dave', { login_name: 'dave', source_id: 0, admin: true })
  await act('adminRenameUser', 'root', '/admin/users/dave/rename', { new_username: 'david' })
  const key = { title: 'k', key: publicKey }
  const { id } = await act('adminCreatePublicKey', 'root', '/admin/users/david/keys', key)
  await act('adminDeleteUserPublicKey', 'root', `/admin/users/david/keys/${id}`)
  await act('adminDeleteUser', 'root', '/admin/users/david')
  await act('userCreateToken', 'alice', '/users/alice/tokens', { name: 'one', scopes: ['read:user'] })
  await act('userDeleteAccessToken', 'alice', '/users/alice/tokens/one')
  const own = await act('userCurrentPostKey', 'alice', '/user/keys', key)
  await act('userCurrentDeleteKey', 'alice', `/user/keys/${own.id}`)
  await act('userAddEmail', 'alice', '/user/emails', { emails: ['a2@example.com'] })
  await act('userDeleteEmail', 'alice', '/user/emails', { emails: ['a2@example.com'] })
  await act('userBlockUser', 'alice', '/user/block/bob')
  await act('userUnblockUser', 'alice', '/user/unblock/bob')
  const app = { name: 'app', redirect_uris: ['https://app.example.com/back'], confidential_client: true }
  const made = await act('userCreateOAuth2Application', 'alice', '/user/applications/oauth2', app)
  await act('userUpdateOAuth2Application', 'alice', `/user/applications/oauth2/${made.id}`, { ...app, name: 'other' })
  await act('userDeleteOAuth2Application', 'alice', `/user/applications/oauth2/${made.id}`)
  const pair = await generateKey({ userIDs: [{ email: 'alice@example.com' }], format: 'object' })
  const armored = { armored_public_key: pair.publicKey.armor() }
  const pgp = await act('userCurrentPostGPGKey', 'alice', '/user/gpg_keys', armored)
  const { text } = await forge.as('alice').must('GET', '/user/gpg_key_token')
  const message = await createMessage({ text })
  const signature = await sign({ message, signingKeys: pair.privateKey, detached: true })
  await act('userVerifyGPGKey', 'alice', '/user/gpg_key_verify', {
    key_id: pgp.key_id,
    armored_signature: signature,
  })
  await act('userCurrentDeleteGPGKey', 'alice', `/user/gpg_keys/${pgp.id}`)
  await values(act, '/user/actions', ['User', 'User'])
  await hooks(act, 'user', 'alice', '/user/hooks')
}

/** Secrets and variables of an account, an organization or a repository. */
async function values(act: Act, base: string, [secret, variable]: readonly [string, string]): Promise<void> {
  await act(`update${secret}Secret`, 'alice', `${base}/secrets/S`, { data: 'x' })
  await act(`delete${secret}Secret`, 'alice', `${base}/secrets/S`)
  await act(`create${variable}Variable`, 'alice', `${base}/variables/V`, { value: 'x' })
  await act(`update${variable}Variable`, 'alice', `${base}/variables/V`, { value: 'y' })
  await act(`delete${variable}Variable`, 'alice', `${base}/variables/V`)
}

async function hooks(act: Act, of: string, who: string, base: string): Promise<void> {
  const config = { url: 'https://hooks.example.com/x', content_type: 'json' }
  const { id } = await act(`${of}CreateHook`, who, base, { type: 'gitea', config })
  await act(`${of}EditHook`, who, `${base}/${id}`, { active: true })
  await act(`${of}DeleteHook`, who, `${base}/${id}`)
}

async function repositories(act: Act, forge: Forge): Promise<void> {
  const { api } = await forge.given.repo({ name: 'one' })
  await act('repoAddCollaborator', 'alice', `${api}/collaborators/bob`, { permission: 'write' })
  await act('repoDeleteCollaborator', 'alice', `${api}/collaborators/bob`)
  const invited = await act('repoCreateInvitation', 'alice', `${api}/invitations`, { permission: 'read' })
  await act('repoRevokeInvitation', 'alice', `${api}/invitations/${invited.id}`)
  const { id } = await act('repoCreateKey', 'alice', `${api}/keys`, { title: 'k', key: publicKey, read_only: true })
  await act('repoDeleteKey', 'alice', `${api}/keys/${id}`)
  await act('repoCreateBranchProtection', 'alice', `${api}/branch_protections`, { rule_name: 'main' })
  await act('repoEditBranchProtection', 'alice', `${api}/branch_protections/main`, { required_approvals: 1 })
  await act('repoDeleteBranchProtection', 'alice', `${api}/branch_protections/main`)
  const tag = await act('repoCreateTagProtection', 'alice', `${api}/tag_protections`, {
    name_pattern: 'v*',
    whitelist_usernames: ['alice'],
  })
  await act('repoEditTagProtection', 'alice', `${api}/tag_protections/${tag.id}`, { name_pattern: 'w*' })
  await act('repoDeleteTagProtection', 'alice', `${api}/tag_protections/${tag.id}`)
  await values(act, `${api}/actions`, ['Repo', 'Repo'])
  await hooks(act, 'repo', 'alice', `${api}/hooks`)
  await act('repoEditGitHook', 'root', `${api}/hooks/git/update`, { content: '#!/bin/sh\nexit 0\n' })
  await act('repoDeleteGitHook', 'root', `${api}/hooks/git/update`)
  const mirror = { remote_address: `${forge.url}/alice/other.git`, interval: '8h' }
  const pushed = await act('repoAddPushMirror', 'alice', `${api}/push_mirrors`, mirror)
  await act('repoDeletePushMirror', 'alice', `${api}/push_mirrors/${pushed.remote_name}`)
  const { token } = await act('repoGetRunnerRegistrationToken', 'alice', `${api}/actions/runners/registration-token`)
  assert.ok(token)
  await act('repoEdit', 'alice', api, { private: true })
  await forge.as('alice').must('POST', `${api}/transfer`, { new_owner: 'bob' })
  await act('acceptRepoTransfer', 'bob', `${api}/transfer/accept`)
  await act('repoDelete', 'bob', '/repos/bob/one')
}

async function organizations(act: Act, forge: Forge): Promise<void> {
  await act('orgCreate', 'alice', '/orgs', { username: 'shop' })
  await act('orgEdit', 'alice', '/orgs/shop', { visibility: 'private' })
  await act('renameOrg', 'alice', '/orgs/shop/rename', { new_name: 'store' })
  const team = { name: 'makers', permission: 'write', units_map: { 'repo.code': 'write' } }
  const { id } = await act('orgCreateTeam', 'alice', '/orgs/store/teams', team)
  await act('orgEditTeam', 'alice', `/teams/${id}`, { ...team, units_map: { 'repo.code': 'read' } })
  await act('orgAddTeamMember', 'alice', `/teams/${id}/members/bob`)
  await act('orgRemoveTeamMember', 'alice', `/teams/${id}/members/bob`)
  await act('orgAddTeamMember', 'alice', `/teams/${id}/members/bob`)
  await act('orgDeleteMember', 'alice', '/orgs/store/members/bob')
  await forge.given.repo({ name: 'two' })
  await act('repoTransfer', 'alice', '/repos/alice/two/transfer', { new_owner: 'store' })
  await act('orgAddTeamRepository', 'alice', `/teams/${id}/repos/store/two`)
  await act('orgRemoveTeamRepository', 'alice', `/teams/${id}/repos/store/two`)
  await act('repoAddTeam', 'alice', '/repos/store/two/teams/makers')
  await act('repoDeleteTeam', 'alice', '/repos/store/two/teams/makers')
  const invited = await act('orgCreateInvitation', 'alice', '/orgs/store/invitations', { team_id: id })
  await act('orgRevokeInvitation', 'alice', `/orgs/store/invitations/${invited.id}`)
  await act('orgDeleteTeam', 'alice', `/teams/${id}`)
  await act('orgBlockUser', 'alice', '/orgs/store/block/bob')
  await act('orgUnblockUser', 'alice', '/orgs/store/unblock/bob')
  await values(act, '/orgs/store/actions', ['Org', 'Org'])
  await hooks(act, 'org', 'alice', '/orgs/store/hooks')
  await act('repoDelete', 'alice', '/repos/store/two')
  await act('orgDelete', 'alice', '/orgs/store')
  await act('adminCreateOrg', 'root', '/admin/users/alice/orgs', { username: 'fresh' })
}

async function instance(act: Act): Promise<void> {
  await hooks(act, 'admin', 'root', '/admin/hooks')
  await act('adminCronRun', 'root', '/admin/cron/clear_audit_log')
  const quota = '/admin/quota'
  await act('adminCreateQuotaRule', 'root', `${quota}/rules`, { name: 'small', limit: 100, subjects: ['size:all'] })
  await act('adminEditQuotaRule', 'root', `${quota}/rules/small`, { limit: 200 })
  await act('adminCreateQuotaGroup', 'root', `${quota}/groups`, { name: 'guests' })
  await act('adminAddRuleToQuotaGroup', 'root', `${quota}/groups/guests/rules/small`)
  await act('adminAddUserToQuotaGroup', 'root', `${quota}/groups/guests/users/bob`)
  await act('adminRemoveUserFromQuotaGroup', 'root', `${quota}/groups/guests/users/bob`)
  await act('adminSetUserQuotaGroups', 'root', '/admin/users/bob/quota/groups', { groups: ['guests'] })
  await act('adminRemoveRuleFromQuotaGroup', 'root', `${quota}/groups/guests/rules/small`)
  await act('adminDeleteQuotaGroup', 'root', `${quota}/groups/guests`)
  await act('adminDEleteQuotaRule', 'root', `${quota}/rules/small`)
  const source = {
    name: 'directory',
    ldap: { host: 'ldap.example.com', user_base: 'dc=example', user_filter: '(uid=%s)' },
  }
  const { id } = await act('adminCreateSignInSource', 'root', '/admin/sources', source)
  await act('adminEditSignInSource', 'root', `/admin/sources/${id}`, { name: 'staff' })
  await act('adminDeleteSignInSource', 'root', `/admin/sources/${id}`)
}

async function runners(act: Act, forge: Forge): Promise<void> {
  const { fullName: repo } = await forge.given.repo({ owner: 'alice' })
  const org = await forge.given.org({ owner: 'alice' })
  const holders: [kind: string, who: string, path: string][] = [
    ['repo', 'alice', `/repos/${repo}/actions/runners`],
    ['org', 'alice', `/orgs/${org}/actions/runners`],
    ['user', 'alice', '/user/actions/runners'],
    ['admin', 'root', '/admin/runners'],
  ]
  for (const [kind, who, path] of holders) {
    await TestRunner.register(forge, path, ['none'], { as: who })
    const { json } = await forge.as(who).must('GET', `/api/service/v1${path}`, undefined, { site: true })
    await act(`${kind}DeleteRunner`, who, `${path}/${json[0].id}`)
    const token = `${path}/registration-token`
    await act(`${kind}RotateRunnerRegistration`, who, token)
    await act(`${kind}DeleteRunnerRegistration`, who, token)
    await act(`${kind}EditRunnerRegistration`, who, token, { is_active: false })
  }
}
