import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { generateKey } from 'openpgp'
import { commitFiles, TestRunner, workflow } from '../src/actions/actions.test-support.ts'
import type { RunId } from '../src/lib/ids.ts'
import { contentOf, LfsClient } from '../src/lfs/lfs.test-support.ts'
import { Browser, hiddenFields } from '../src/testing/browser.ts'
import type { ForgeClient } from '../src/testing/client.ts'
import { testPassword, type Forge } from '../src/testing/forge.ts'
import { base64, basicAuthorization, publicKey } from '../src/testing/samples.ts'
import { upload } from '../src/testing/upload.ts'

/** Values of path parameters that name a belonging of one account, by `<first segment> <previous segment>/<parameter>`. */
export type Belongings = Readonly<Record<string, string>>

/** A path parameter: its name, and its key in `Belongings`. */
export interface PathParameter {
  readonly name: string
  readonly key: string
}

/** The parameters of an operation's path, in order. */
export function parametersOf(path: string): PathParameter[] {
  const segments = path.split('/').filter((segment) => segment !== '')
  const first = path.startsWith('/api/packages/') ? 'registries' : (segments[0] ?? '').replace(/^\{.*/, 'pages')
  const found: PathParameter[] = []
  let before = first
  for (const segment of segments) {
    for (const [, name = ''] of segment.matchAll(/\{([\w-]+)\+?\}/g)) {
      const kind =
        before === 'assets' && first !== 'assets'
          ? `${path.includes('/comments/') ? 'comments' : segments[3]} assets`
          : before
      found.push({ name, key: `${first} ${kind}/${name}` })
    }
    if (!segment.startsWith('{')) before = segment
  }
  return found
}

const redirect = 'https://app.example.com/cb'

/** A token with a scope that an account's own application obtained, and the id of the application. */
export async function oauthToken(forge: Forge, login: string, scope: string): Promise<{ token: string; app: string }> {
  const { json: app } = await forge.as(login).must('POST', '/user/applications/oauth2', {
    name: `App of ${login}`,
    confidential_client: true,
    redirect_uris: [redirect],
  })
  const browser = new Browser(forge)
  assert.equal((await browser.signIn(login, testPassword)).status, 303)
  const verifier = 'v'.repeat(64)
  const query = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri: redirect,
    response_type: 'code',
    scope,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const page = await browser.get(`/login/oauth/authorize?${query}`)
  const fields = hiddenFields(page.text, '/login/oauth/grant')
  const answer = await browser.post('/login/oauth/grant', { ...fields, granted: 'true' })
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const { json } = await forge.guest.must('POST', '/login/oauth/access_token', undefined, {
    site: true,
    raw: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirect,
      client_id: app.client_id,
      client_secret: app.client_secret,
      code_verifier: verifier,
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  return { token: json.access_token as string, app: String(app.id) }
}

/** A public key like the sample with different bytes at its end. */
export function keyOf(login: string, index: number): string {
  const [kind, text = ''] = publicKey.split(' ')
  const bytes = Buffer.from(text, 'base64')
  Buffer.from(`${login}${index}`).copy(bytes, bytes.length - 10)
  return `${kind} ${base64(bytes)}`
}

/** Requests the container registry with a token of its token service. */
export async function imagesAs(
  forge: Forge,
  login: string,
): Promise<(...sent: Parameters<ForgeClient['send']>) => ReturnType<ForgeClient['send']>> {
  const authorization = basicAuthorization(login, testPassword)
  const { json } = await forge.guest.must('GET', '/v2/token', undefined, { site: true, headers: { authorization } })
  return (method, path, body, options) =>
    forge.guest.send(method, path, body, {
      ...options,
      site: true,
      headers: { ...options?.headers, authorization: `Bearer ${json.token}` },
    })
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const vendor = '/api/service/v1'
const settingsOfHook = {
  type: 'forgejo',
  active: true,
  events: ['issues'],
  config: { url: 'http://127.0.0.1:9/', content_type: 'json' },
}

/** Settings that `makeBelongings` needs. */
export const settingsOfBelongings = { migrations: { ALLOW_LOCALNETWORKS: true, RETRY_BACKOFF: 0 } }

/**
 * Gives an account one of everything: in its private repository `home`, in its organization `{login}s-guild`, and in the
 * account. Its issue is number 1, its pull request number 2.
 * @returns the values of path parameters, and the credentials that a job of `home` shows to the services of jobs
 */
export async function makeBelongings(
  forge: Forge,
  login: string,
): Promise<{ readonly values: Belongings; readonly runtimeToken: string }> {
  const client = forge.as(login)
  const guild = `${login}s-guild`
  const api = `/repos/${login}/home`
  const add = async (path: string, body: unknown) => (await client.must('POST', path, body)).json
  const made = async (path: string, body: unknown) => String((await add(path, body)).id)
  const there = async (path: string) => (await client.must('GET', vendor + path, undefined, { site: true })).json
  const file = async (path: string) => (await client.must('POST', path, undefined, upload('note.txt', login))).json
  /** Registers a runner that takes no job; returns its id. */
  const runnerOf = async (path: string): Promise<string> => {
    await TestRunner.register(forge, path, ['none'], { as: login })
    return String((await there(path))[0].id)
  }
  await forge.given.repo({ owner: login, name: 'home', private: true })
  await forge.given.org({ owner: login, name: guild })
  const hooks = await made(`${api}/hooks`, settingsOfHook)
  const orgHooks = await made(`/orgs/${guild}/hooks`, settingsOfHook)
  const userHooks = await made('/user/hooks', settingsOfHook)

  // Issues and pull requests.
  await add(`${api}/issues`, { title: 'one' })
  const sha = await commitFiles(
    forge,
    api,
    { [`${login}.txt`]: `${login}\n` },
    { newBranch: `${login}-topic`, as: login },
  )
  await add(`${api}/pulls`, { title: 'two', head: `${login}-topic`, base: 'main' })
  const reviews = await made(`${api}/pulls/2/reviews`, {
    event: 'COMMENT',
    body: 'so',
    comments: [{ path: `${login}.txt`, body: 'here', new_position: 1 }],
  })
  const [remark] = (await client.must('GET', `${api}/pulls/2/reviews/${reviews}/comments`)).json
  const comments = await made(`${api}/issues/1/comments`, { body: 'said' })
  const labels = await made(`${api}/labels`, { name: 'kind', color: '#001122' })
  await add(`${api}/issues/1/labels`, { labels: [Number(labels)] })
  const attached = await file(`${api}/issues/1/assets`)
  await client.must('POST', `${api}/issues/1/stopwatch/start`)
  await forge.as('root').must('POST', `${api}/issues/1/comments`, { body: `what do you say, @${login}?` })

  const view = { title: 'Flow', layout: 'board', grouping: 'state' }
  const repoViews = await made(`${api}/views`, view)
  const orgViews = await made(`/orgs/${guild}/views`, view)
  const userViews = await made('/user/views', view)

  const person = new Browser(forge)
  assert.equal((await person.signIn(login, testPassword)).status, 303)
  const repliesAt = '/user/settings/replies'
  await person.submit(repliesAt, repliesAt, { title: `Reply of ${login}`, content: 'said before' })
  const reply = /replies\/(\d+)"/.exec((await person.get(repliesAt)).text)?.[1]
  assert.ok(reply)

  // Code.
  await client.must('POST', `${api}/statuses/${sha}`, { context: 'check', state: 'success' })
  await client.must('POST', `${api}/git/notes/${sha}`, { message: `a note of ${login}` })
  await add(`${api}/tags`, { tag_name: `${login}-tag`, target: sha, message: 'annotated' })
  const releases = await made(`${api}/releases`, { tag_name: `${login}-v1` })
  await add(`${api}/branch_protections`, { rule_name: `${login}-*` })
  await add(`${api}/wiki/new`, { title: `${login} page`, content_base64: base64(login) })
  const { remote_name: mirror } = await add(`${api}/push_mirrors`, {
    remote_address: `${forge.url}/${login}/target.git`,
    remote_username: login,
    remote_password: 'x',
    interval: '0s',
  })
  const { sha: blob } = (await client.must('GET', `${api}/contents/${login}.txt?ref=${sha}`)).json
  const { commit } = (await client.must('GET', `${api}/git/commits/${sha}`)).json
  const annotated = (await client.must('GET', `${api}/git/refs/tags/${login}-tag`)).json
  const object = contentOf(`large ${login}`)
  const lfs = new LfsClient(client, { fullName: `${login}/home` })
  assert.equal((await lfs.put(object)).status, 200)
  const { lock } = (await lfs.send('POST', 'locks', { path: 'a.bin' })).json

  // Workflows.
  await commitFiles(
    forge,
    api,
    { [`.forgejo/workflows/${login}.yml`]: workflow('[push, workflow_dispatch]') },
    { as: login },
  )
  const runner = await TestRunner.register(forge, `${api}/actions/runners`, ['ubuntu-latest'], { as: login })
  const task = await runner.must()
  const [run] = (await client.must('GET', `${api}/actions/runs`)).json.workflow_runs as { id: number }[]
  const [job] = (await client.must('GET', `${api}/actions/runs/${run?.id}/jobs`)).json.jobs
  const asJob = { site: true, headers: { authorization: `Bearer ${task.context.gitea_runtime_token}` } }
  const { json: cache } = await client.must(
    'POST',
    '/_apis/artifactcache/caches',
    { key: login, version: 'v', cacheSize: 1 },
    asJob,
  )
  await client.must('PATCH', `/_apis/artifactcache/caches/${cache.cacheId}`, undefined, {
    ...asJob,
    headers: { ...asJob.headers, 'content-type': 'application/octet-stream', 'content-range': 'bytes 0-0/*' },
    raw: 'x',
  })
  await client.must('POST', `/_apis/artifactcache/caches/${cache.cacheId}`, { size: 1 }, asJob)
  const artifacts = '/twirp/github.actions.results.api.v1.ArtifactService'
  const about = { workflow_run_backend_id: String(run?.id), workflow_job_run_backend_id: '1', name: `${login}-bundle` }
  const { json: begun } = await client.must('POST', `${artifacts}/CreateArtifact`, { ...about, version: 4 }, asJob)
  await forge.guest.must('PUT', begun.signedUploadUrl.slice(forge.url.length), undefined, { site: true, raw: login })
  await client.must('POST', `${artifacts}/FinalizeArtifact`, { ...about, size: String(login.length) }, asJob)
  for (const holder of [api, `/orgs/${guild}`, '/user']) {
    await client.must('PUT', `${holder}/actions/secrets/${login}_SECRET`, { data: 'x' })
    await client.must('POST', `${holder}/actions/variables/${login}_NAME`, { value: 'x' })
  }

  // Packages.
  const images = await imagesAs(forge, login)
  const layer = `a layer of ${login}`
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      digest: `sha256:${sha256(layer)}`,
      size: layer.length,
    },
    layers: [{ mediaType: 'x', digest: `sha256:${sha256(layer)}`, size: layer.length }],
  })
  await images('POST', `/v2/${login}/img/blobs/uploads?digest=sha256:${sha256(layer)}`, undefined, { raw: layer })
  const headers = { 'content-type': 'application/vnd.oci.image.manifest.v1+json' }
  const pushed = await images('PUT', `/v2/${login}/img/manifests/${login}`, undefined, { raw: manifest, headers })
  assert.equal(pushed.status, 201, pushed.text)
  const upstart = await images('POST', `/v2/${login}/img/blobs/uploads`)
  const uploading = /uploads\/([^/?]+)/.exec(upstart.headers.get('location') ?? '')?.[1] ?? ''
  await client.must('PUT', `/api/packages/${login}/generic/${login}-tool/1/${login}.bin`, undefined, {
    site: true,
    raw: 'x',
  })
  const cleanupRules = await made(`/packages/${login}/-/cleanup-rules`, { type: 'generic', keep_count: 5 })

  // The account.
  const { publicKey: armored } = await generateKey({
    type: 'ecc',
    curve: 'ed25519Legacy',
    userIDs: [{ name: login, email: `${login}@example.com` }],
    format: 'armored',
  })
  const gpgKeys = await made('/user/gpg_keys', { armored_public_key: armored })
  const keys = await made('/user/keys', { title: 'mine', key: keyOf(login, 2) })
  const { app } = await oauthToken(forge, login, 'read:repository')
  await add('/repos/migrate', {
    clone_addr: `${forge.url}/${login}/home.git`,
    auth_username: login,
    auth_password: (await forge.account(login)).token,
    repo_name: 'moved',
    service: 'forgejo',
    labels: true,
  })
  await forge.settle()
  const [session] = await there('/user/sessions')
  const [grant] = await there('/user/oauth2/grants')
  const [token] = (
    await forge.as(login, { basic: { login, password: testPassword } }).must('GET', `/users/${login}/tokens`)
  ).json
  const [thread] = (await client.must('GET', '/notifications?all=true')).json
  const [imported] = (await client.must('GET', '/user/imports')).json
  const [delivery] = (await client.must('GET', `${api}/hooks/${hooks}/deliveries`)).json

  const { id: artifact } = await forge.services.db
    .selectFrom('action_artifact')
    .select('id')
    .where('run_id', '=', run?.id as RunId)
    .executeTakeFirstOrThrow()
  const { json: home } = await client.must('GET', api)
  const [owners] = (await client.must('GET', `/orgs/${guild}/teams`)).json
  const values = {
    'repositories repositories/id': String(home.id),
    'teams teams/teamid': String(owners.id),
    'repos raw/filepath': `${login}-topic/${login}.txt`,
    'repos media/filepath': `${login}-topic/${login}.txt`,
    'repos repos/filepath': `${login}-topic`,
    'repos compare/filepath': `main...${login}-topic`,
    'repos runs/run_id': String(run?.id),
    'repos runners/id': await runnerOf(`/repos/${login}/home/actions/runners`),
    'orgs runners/id': await runnerOf(`/orgs/${guild}/actions/runners`),
    'user runners/id': await runnerOf('/user/actions/runners'),
    'admin runners/id': await runnerOf(`/repos/${login}/home/actions/runners`),
    'pages branch/filepath': `${login}-topic`,
    'pages raw/filepath': `branch/${login}-topic/${login}.txt`,
    'pages media/filepath': `branch/${login}-topic/${login}.txt`,
    'pages objects/folder': sha.slice(0, 2),
    'pages objects/filename': sha.slice(2),
    'api workflows/run': String(run?.id),
    'api artifacts/id': String(artifact),
    'repos contents/filepath': `.forgejo/workflows/${login}.yml`,
    'repos hooks/id': hooks,
    'repos deliveries/delivery_id': String(delivery.id),
    'admin hooks/id': hooks,
    'admin deliveries/delivery_id': String(delivery.id),
    'orgs hooks/id': orgHooks,
    'orgs deliveries/delivery_id': String(delivery.id),
    'user hooks/id': userHooks,
    'user deliveries/delivery_id': String(delivery.id),
    'orgs labels/id': await made(`/orgs/${guild}/labels`, { name: 'all', color: '#001122' }),
    'repos comments/id': comments,
    'repos comments/comment': String(remark.id),
    'repos comments assets/attachment_id': String((await file(`${api}/issues/comments/${comments}/assets`)).id),
    'repos issues assets/attachment_id': String(attached.id),
    'repos releases assets/attachment_id': String((await file(`${api}/releases/${releases}/assets`)).id),
    'repos reviews/id': reviews,
    'repos releases/id': releases,
    'repos labels/id': labels,
    'repos milestones/id': await made(`${api}/milestones`, { title: 'first' }),
    'repos times/id': await made(`${api}/issues/1/times`, { time: 60 }),
    'repos keys/id': await made(`${api}/keys`, { title: 'd', key: keyOf(login, 1), read_only: true }),
    'repos invitations/id': await made(`${api}/invitations`, {}),
    'orgs invitations/id': await made(`/orgs/${guild}/invitations`, { team_id: owners.id }),
    'repos tag_protections/id': await made(`${api}/tag_protections`, {
      name_pattern: 'v*',
      whitelist_usernames: [login],
    }),
    'repos jobs/job_id': String(job.id),
    'repos caches/cache_id': String(cache.cacheId),
    'repos artifacts/artifact_id': String(artifact),
    'repos branches/filepath': `${login}-topic`,
    'repos branch_protections/name': `${login}-*`,
    'repos tags/filepath': `${login}-tag`,
    'repos tags/tag': `${login}-v1`,
    'repos tags/sha': annotated[0].object.sha,
    'repos refs/filepath': `heads/${login}-topic`,
    'repos commits/sha': sha,
    'repos commits/ref': sha,
    'repos statuses/sha': sha,
    'repos notes/sha': sha,
    'repos blobs/sha': blob,
    'repos trees/sha': commit.tree.sha,
    'repos archive/filepath': `${login}-topic.zip`,
    'repos page/pageName': `${login}-page`,
    'repos revisions/pageName': `${login}-page`,
    'repos push_mirrors/name': mirror,
    'repos views/id': repoViews,
    'orgs views/id': orgViews,
    'user views/id': userViews,
    'user replies/id': reply,
    'repos secrets/secretname': `${login}_SECRET`,
    'repos variables/variablename': `${login}_NAME`,
    'repos workflows/workflowname': `${login}.yml`,
    'orgs secrets/secretname': `${login}_SECRET`,
    'orgs variables/variablename': `${login}_NAME`,
    'user secrets/secretname': `${login}_SECRET`,
    'user variables/variablename': `${login}_NAME`,
    'packages cleanup-rules/id': cleanupRules,
    'packages packages/name': `${login}-tool`,
    'admin keys/id': keys,
    'user gpg_keys/id': gpgKeys,
    'user grants/id': String(grant.id),
    'user imports/id': String(imported.id),
    'user oauth2/id': app,
    'user sessions/id': String(session.id),
    'users tokens/id': String(token.id),
    'notifications threads/id': String(thread.id),
    'pages attachments/uuid': attached.uuid,
    'attachments attachments/uuid': attached.uuid,
    'pages artifacts/name': `${login}-bundle`,
    'pages commit/sha': sha,
    'pages blob/sha': blob,
    'pages archive/filepath': `${login}-topic.zip`,
    'pages download/tag': `${login}-v1`,
    'pages workflows/workflowname': `${login}.yml`,
    'pages locks/lid': String(lock.id),
    'pages objects/oid': object.oid,
    'v2 manifests/reference': `sha256:${sha256(manifest)}`,
    'v2 blobs/digest': `sha256:${sha256(layer)}`,
    'v2 referrers/digest': `sha256:${sha256(manifest)}`,
    'v2 uploads/uuid': uploading,
    '_apis caches/id': String(cache.cacheId),
  }
  return { values, runtimeToken: task.context.gitea_runtime_token }
}
