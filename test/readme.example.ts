import assert from 'node:assert/strict'
import { startForge } from '../src/testing/index.ts'

await using forge = await startForge({ users: ['alice'] })
const repo = await forge.given.repo({ owner: 'alice', name: 'hello' })
const { status, json } = await forge.as('alice').post(`${repo.api}/issues`, { title: 'It works' })
assert.deepEqual([status, json.number], [201, 1])
console.log(await forge.gitUrl('alice', repo.fullName))
