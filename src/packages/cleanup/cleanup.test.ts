import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { transaction } from '../../db/database.ts'
import { examined } from '../../testing/doctor.ts'
import { eventsNamed } from '../../testing/events.ts'
import { startForge, testPassword, type Forge } from '../../testing/forge.ts'
import { packageUsageOf, registryOf } from '../packages.test-support.ts'
import { putTag } from '../catalog/metadata.store.ts'
import { packages } from '../packages.feature.ts'
import { isUnchanged, listVersionNames, loadCandidates } from './cleanup.store.ts'
import type { Candidate } from './cleanup.rules.ts'
import { registryTypes } from './cleanup-rule.rules.ts'

const dayMs = 86_400_000
const atMs = Date.UTC(2026, 4, 1)
const rules = '/packages/alice/-/cleanup-rules'
const digestOf = (content: string) => `sha256:${createHash('sha256').update(content).digest('hex')}`

const publish = async (forge: Forge, ...versions: readonly string[]) => {
  for (const version of versions) {
    const reply = await registryOf(forge.as('alice'), 'alice')('PUT', `generic/tool/${version}/f`, version)
    assert.equal(reply.status, 201, reply.text)
    forge.clock.advance(dayMs)
  }
}

const left = async (forge: Forge, query = ''): Promise<string[]> =>
  (await forge.as('root').must('GET', `/packages/alice${query}`)).json
    .map((each: { name: string; version: string }) => `${each.name}/${each.version}`)
    .toSorted()

const add = async (forge: Forge, rule: object): Promise<string> =>
  `${rules}/${(await forge.as('alice').must('POST', rules, rule)).json.id}`

/** Returns the versions that a rule would remove, with reasons. */
const previewed = async (forge: Forge, rule: string, query = ''): Promise<Record<string, string>> => {
  const { json } = await forge.as('alice').must('GET', `${rule}/preview${query}`)
  return Object.fromEntries(
    json.versions.map((each: { package: { version: string }; reason: string }) => [each.package.version, each.reason]),
  )
}

/** Returns the newest entry of the audit log. */
const actsOf = async (forge: Forge): Promise<string[]> =>
  (await forge.as('root').must('GET', '/admin/audit?limit=50')).json.map((entry: { action: string }) => entry.action)

const follow = async (forge: Forge, rule: string) => {
  await forge.as('alice').must('POST', `${rule}/run`)
  await forge.settle()
}

test('listPackageCleanupRules, createPackageCleanupRule, getPackageCleanupRule, editPackageCleanupRule, deletePackageCleanupRule, previewPackageCleanupRule, runPackageCleanupRule: only the owner and administrators may', async () => {
  await using forge = await startForge({ users: ['alice', 'bob', 'carol', 'writer'] })
  const rule = { type: 'generic', keep_count: 2 }
  await forge.as('carol').must('POST', '/orgs', { username: 'guild' })
  const team = { name: 'writers', permission: 'write', units: ['repo.packages'] }
  const { id: teamId } = (await forge.as('carol').must('POST', '/orgs/guild/teams', team)).json
  await forge.as('carol').must('PUT', `/teams/${teamId}/members/writer`)
  const ofGuild = '/packages/guild/-/cleanup-rules'
  assert.equal((await forge.guest.post(rules, rule)).status, 401)
  assert.equal((await forge.as('bob').post(rules, rule)).status, 403)
  assert.equal((await forge.as('bob').get(rules)).status, 403)
  assert.equal((await forge.as('writer').post(ofGuild, rule)).status, 403)
  assert.equal((await forge.as('carol').post(ofGuild, rule)).status, 201)
  for (const bad of [
    { type: 'floppy', keep_count: 1 },
    { type: 'generic' },
    { type: 'generic', keep_pattern: 'v.*' },
    { type: 'generic', keep_count: -1 },
    { type: 'generic', keep_count: 10_001 },
    { type: 'generic', remove_days: 1e9 },
    { type: 'generic', remove_pattern: '(' },
    { type: 'generic', remove_pattern: 'x'.repeat(501) },
  ]) {
    assert.equal((await forge.as('alice').post(rules, bad)).status, 422, JSON.stringify(bad))
  }
  const path = await add(forge, { ...rule, keep_pattern: 'v.*' })
  assert.equal((await forge.as('alice').post(rules, rule)).status, 409)
  const { created_at: _created, updated_at: _updated, id, ...shown } = (await forge.as('alice').must('GET', path)).json
  assert.deepEqual(shown, {
    type: 'generic',
    enabled: true,
    keep_count: 2,
    keep_pattern: 'v.*',
    remove_days: 0,
    remove_pattern: '',
    match_full_name: false,
    last_run_at: null,
    last_removed: 0,
    last_problem: '',
  })
  // A rule does not exist under another owner.
  for (const send of ['GET', 'PATCH', 'DELETE'] as const) {
    assert.equal(
      (await forge.as('carol').send(send, `${ofGuild}/${id}`, send === 'PATCH' ? {} : undefined)).status,
      404,
    )
    assert.equal((await forge.as('bob').send(send, path, send === 'PATCH' ? {} : undefined)).status, 403)
  }
  assert.equal((await forge.as('bob').get(`${path}/preview`)).status, 403)
  assert.equal((await forge.as('bob').post(`${path}/run`)).status, 403)
  assert.equal((await forge.as('alice').get(`${path}/preview?after=%00`)).status, 400)
  assert.equal((await forge.as('alice').patch(path, { keep_count: 0 })).status, 422)
  assert.equal((await forge.as('root').must('PATCH', path, { enabled: false, remove_days: 9 })).json.remove_days, 9)
  assert.equal((await forge.as('alice').must('GET', rules)).json.length, 1)
  await forge.as('alice').must('DELETE', path)
  assert.equal((await forge.as('alice').delete(path)).status, 404)
  const acts = await actsOf(forge)
  for (const what of ['created', 'changed', 'deleted']) assert.ok(acts.includes(`packageCleanupRule.${what}`), what)
})

test('createPackageCleanupRule: each registry type can have a rule', () => {
  const families = packages.routes?.flatMap((routes) =>
    Object.values(routes as Record<string, { readonly family?: string }>).flatMap(({ family }) =>
      family?.endsWith('-registry') ? [family.slice(0, -'-registry'.length)] : [],
    ),
  )
  assert.deepEqual([...new Set(families)].toSorted(), [...registryTypes])
})

test('previewPackageCleanupRule, runPackageCleanupRule: a run deletes the previewed versions by count, age and patterns, and publishes events', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: atMs })
  await publish(forge, '1.0', '1.1-RC1', '1.1', '2.0-rc1', '2.0-rc2', '2.0')
  const path = await add(forge, { type: 'generic', keep_count: 1, keep_pattern: '1\\.0', remove_pattern: '.*-rc\\d' })
  assert.deepEqual(await previewed(forge, path), {
    '2.0-rc2': 'it is not one of the 1 newest, it fits the pattern of what goes',
    '2.0-rc1': 'it is not one of the 1 newest, it fits the pattern of what goes',
    '1.1-RC1': 'it is not one of the 1 newest, it fits the pattern of what goes',
  })
  // Each page has the cursor of the next one.
  const first = (await forge.as('alice').must('GET', `${path}/preview?limit=2`)).json
  assert.deepEqual([first.versions.length, first.versions[0].size, first.examined], [2, '2.0-rc2'.length, 6])
  const second = (await forge.as('alice').must('GET', `${path}/preview?limit=2&after=${first.next}`)).json
  assert.deepEqual([second.versions.length, second.next], [1, null])
  await forge.as('alice').must('PATCH', path, { remove_days: 3 })
  assert.deepEqual(Object.keys(await previewed(forge, path)), ['2.0-rc1', '1.1-RC1'])
  // A version is as old as its newest file.
  await registryOf(forge.as('alice'), 'alice')('PUT', 'generic/tool/1.1-rc1/g', 'more')
  assert.deepEqual(Object.keys(await previewed(forge, path)), ['2.0-rc1'])
  await forge.as('alice').must('PATCH', path, { remove_days: 0, match_full_name: true, remove_pattern: 'TOOL/2.*rc1' })
  assert.deepEqual(Object.keys(await previewed(forge, path)), ['2.0-rc1'])
  await forge.as('alice').must('PATCH', path, { remove_pattern: '2.*' })
  assert.deepEqual(await previewed(forge, path), {})
  assert.equal((await left(forge)).length, 6)
  await forge.as('alice').must('PATCH', path, { match_full_name: false, enabled: false, keep_pattern: '' })
  const usage = await packageUsageOf(forge, 'alice')
  await follow(forge, path)
  // The version with the newest file is the newest.
  assert.deepEqual(await left(forge), ['tool/1.0', 'tool/1.1', 'tool/1.1-RC1'])
  assert.equal(await packageUsageOf(forge, 'alice'), usage - '2.02.0-rc12.0-rc2'.length)
  const gone = (await eventsNamed(forge, 'package.deleted')).map((each) => String(each['version']))
  assert.deepEqual(gone.toSorted(), ['2.0', '2.0-rc1', '2.0-rc2'])
  const { json } = await forge.as('alice').must('GET', path)
  assert.deepEqual([json.last_removed, json.last_problem, typeof json.last_run_at], [3, '', 'string'])
  assert.deepEqual(await examined(forge.services), [])
})

test('cleanup_packages: the schedule applies enabled rules', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: atMs })
  await publish(forge, '1', '2', '3')
  const path = await add(forge, { type: 'generic', keep_count: 2, enabled: false })
  const clock = async () => {
    await forge.as('root').must('POST', '/admin/cron/cleanup_packages')
    await forge.settle()
  }
  await clock()
  assert.equal((await left(forge)).length, 3)
  await forge.as('alice').must('PATCH', path, { enabled: true })
  await clock()
  assert.deepEqual(await left(forge), ['tool/2', 'tool/3'])
  assert.ok((await actsOf(forge)).includes('packages.cleanedUp'))
})

test('runPackageCleanupRule: a pattern that cannot be compared is reported at the rule and deletes nothing', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: atMs })
  await publish(forge, `${'a'.repeat(60)}b`)
  const path = await add(forge, { type: 'generic', remove_pattern: '(a+)+' })
  // Rules from before may have an expression that is refused now.
  await transaction(forge.services.db, (tx) =>
    tx.updateTable('package_cleanup_rule').set({ remove_pattern: '(?!b)a+' }).execute(),
  )
  const refused = await forge.as('alice').get(`${path}/preview`)
  assert.equal(refused.status, 422)
  assert.match(refused.json.message, /^\[remove_pattern\]: the pattern cannot be compared: /)
  await follow(forge, path)
  assert.match((await forge.as('alice').must('GET', path)).json.last_problem, /cannot be compared/)
  assert.equal((await left(forge)).length, 1)
})

test('runPackageCleanupRule: versions that change after the decision stay', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: atMs })
  const { db } = forge.services
  await publish(forge, '1', '2', '3')
  const parent = await db.selectFrom('package').select('id').executeTakeFirstOrThrow()
  const candidates = await loadCandidates(db, await listVersionNames(db, [parent.id]))
  await registryOf(forge.as('alice'), 'alice')('PUT', 'generic/tool/1/g', 'more')
  const [, second] = candidates
  assert.ok(second)
  await transaction(db, (tx) => putTag(tx, parent.id, 'kept', second.id))
  const stays = await transaction(db, async (tx) => {
    const [first, tagged, other] = candidates as [Candidate, Candidate, Candidate]
    return [await isUnchanged(tx, first), await isUnchanged(tx, tagged), await isUnchanged(tx, other)]
  })
  assert.deepEqual(stays, [false, false, true])
})

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const indexType = 'application/vnd.oci.image.index.v1+json'

/** Publishes images of alice in `app`. */
async function imagesOf(forge: Forge) {
  const { headers } = { headers: { authorization: `Basic ${Buffer.from(`alice:${testPassword}`).toString('base64')}` } }
  const { token } = (await (await fetch(`${forge.url}/v2/token`, { headers })).json()) as { token: string }
  const ask = async (method: string, path: string, raw?: string, contentType = 'application/octet-stream') => {
    const reply = await forge.guest.send(method, `/v2/alice/app/${path}`, undefined, {
      site: true,
      headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
      ...(raw === undefined ? {} : { raw }),
    })
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
    return reply
  }
  const describe = (mediaType: string, content: string) => ({
    mediaType,
    digest: digestOf(content),
    size: content.length,
  })
  const put = async (reference: string | undefined, content: string, type: string): Promise<string> => {
    await ask('PUT', `manifests/${reference ?? digestOf(content)}`, content, type)
    return content
  }
  return {
    ask,
    image: async (reference: string | undefined, config: string, more: object = {}) => {
      await ask('POST', `blobs/uploads/?digest=${digestOf(config)}`, config)
      const named = describe('application/vnd.oci.image.config.v1+json', config)
      return put(
        reference,
        JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config: named, layers: [], ...more }),
        manifestType,
      )
    },
    index: (reference: string | undefined, parts: readonly string[]) =>
      put(
        reference,
        JSON.stringify({
          schemaVersion: 2,
          mediaType: indexType,
          manifests: parts.map((part) => describe((JSON.parse(part) as { mediaType: string }).mediaType, part)),
        }),
        indexType,
      ),
    describe,
  }
}

test('previewPackageCleanupRule, runPackageCleanupRule: manifests of a kept index stay, and those of a deleted index only are deleted with it', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: atMs })
  const { image, index, describe } = await imagesOf(forge)
  const [oldArm, oldAmd] = [await image(undefined, '"old arm"'), await image('old-amd64', '"old amd"')]
  const old = await index('1.0', [oldArm, oldAmd])
  const arm = await image(undefined, '"arm"')
  const nested = await index(undefined, [arm])
  const kept = await index('2.0', [nested, oldAmd])
  const about = (content: string) => ({ subject: describe(indexType, content) })
  const signature = await image(undefined, '"signature"', about(kept))
  const oldSignature = await image(undefined, '"old signature"', about(old))
  await image(`sha256-${digestOf(kept).slice(7)}.sig`, '"named signature"')
  await image('latest', '"latest"')
  const orphan = await image(undefined, '"orphan"')
  forge.clock.advance(2 * dayMs)
  // Registry tokens expire after a day.
  const later = await imagesOf(forge)
  const fresh = await later.image(undefined, '"fresh"')
  await later.image('2.1', '"newest"')
  const path = await add(forge, { type: 'container', keep_count: 1, keep_pattern: '2\\.0', remove_days: 1 })
  const going = [digestOf(orphan), digestOf(oldSignature), digestOf(oldArm), '1.0'].toSorted()
  assert.deepEqual(Object.keys(await previewed(forge, path)).toSorted(), going)
  await follow(forge, path)
  const stay = [digestOf(arm), digestOf(nested), digestOf(signature), digestOf(fresh), 'latest', '2.0', '2.1']
  assert.deepEqual(
    await left(forge),
    [...stay, 'old-amd64', `sha256-${digestOf(kept).slice(7)}.sig`].map((each) => `app/${each}`).toSorted(),
  )
  for (const reference of ['2.0', digestOf(nested), digestOf(arm)]) await later.ask('GET', `manifests/${reference}`)
  assert.deepEqual(await examined(forge.services), [])
})

test('containerPutManifest: an index pushed while its manifests are deleted is refused or keeps them', async () => {
  await using forge = await startForge({ users: ['alice'], standAt: atMs })
  const { image } = await imagesOf(forge)
  const parts: string[] = []
  for (let number = 0; number < 12; number += 1) parts.push(await image(undefined, `"part ${number}"`))
  forge.clock.advance(2 * dayMs)
  const { index, ask } = await imagesOf(forge)
  const path = await add(forge, { type: 'container', keep_pattern: 'index.*', remove_days: 1 })
  const [, ...pushed] = await Promise.all([
    follow(forge, path),
    ...parts.map((part, number) =>
      index(`index${number}`, [part]).then(
        () => true,
        () => false,
      ),
    ),
  ])
  for (const [number, isThere] of pushed.entries()) {
    if (isThere) await ask('GET', `manifests/${digestOf(parts[number] ?? '')}`)
  }
  assert.deepEqual(await examined(forge.services), [])
})
