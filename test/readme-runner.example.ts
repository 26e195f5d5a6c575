import assert from 'node:assert/strict'
import { startForge } from '../src/testing/index.ts'

await using forge = await startForge({ users: ['alice'], runner: true })
const repo = await forge.given.repo({ owner: 'alice' })
const workflow = 'on: push\njobs: { hello: { runs-on: ubuntu-latest, steps: [{ run: echo hello }] } }\n'
const content = Buffer.from(workflow).toString('base64')
await forge.as('alice').post(`${repo.api}/contents/.forgejo/workflows/hello.yml`, { content })
await forge.settle()
const { json } = await forge.as('alice').get(`${repo.api}/actions/runs`)
assert.equal(json.workflow_runs[0].status, 'success')
