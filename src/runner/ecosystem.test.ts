import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { commitFiles, runsOf } from '../actions/actions.test-support.ts'
import { startForge } from '../testing/forge.ts'

const packages = resolve('node_modules/@actions')
const cache = `import { restoreCache, saveCache } from '${packages}/cache/lib/cache.js'`
const artifact = `import { DefaultArtifactClient } from '${packages}/artifact/lib/artifact.js'`

/** The clients of the ecosystem enable some features only for servers with certain names. */
const asUsual = 'GITHUB_SERVER_URL: http://forge.localhost'

const workflow = `on: push
jobs:
  make:
    runs-on: host
    strategy: { matrix: { n: [1, 2] } }
    outputs: { made: '\${{ steps.made.outputs.name }}' }
    steps:
      - shell: node
        run: |
          ${cache}
          import { mkdirSync, writeFileSync } from 'node:fs'
          mkdirSync('kept')
          writeFileSync('kept/a.txt', 'kept by the first\\n'.repeat(1000))
          if (await restoreCache(['kept'], 'none-\${{ matrix.n }}') !== undefined) throw new Error('there is none')
          await saveCache(['kept'], 'one-\${{ matrix.n }}')
      - shell: node
        env: { ACTIONS_CACHE_SERVICE_V2: 'true', ${asUsual} }
        run: |
          ${cache}
          await saveCache(['kept'], 'two-\${{ matrix.n }}')
      - id: made
        shell: node
        env: { ${asUsual}, DEEP: '\${{ secrets.DEEP }}' }
        run: |
          ${artifact}
          import { appendFileSync, writeFileSync } from 'node:fs'
          writeFileSync('result.txt', 'result of \${{ matrix.n }}, ' + process.env.DEEP.length)
          const name = 'result-\${{ matrix.n }}'
          const { id, size } = await new DefaultArtifactClient().uploadArtifact(name, ['result.txt'], '.')
          if (!(id > 0 && size > 0)) throw new Error('nothing was uploaded')
          appendFileSync(process.env.GITHUB_OUTPUT, 'name=' + name)
          console.log('the secret is ' + Buffer.from(process.env.DEEP).toString('base64'))
  use:
    runs-on: host
    needs: make
    steps:
      - shell: node
        run: |
          ${cache}
          import { readFileSync } from 'node:fs'
          const key = await restoreCache(['kept'], 'one-9', ['one-'])
          console.log('restored', /^one-[12]$/.test(key), readFileSync('kept/a.txt', 'utf8').length)
      - shell: node
        env: { ACTIONS_CACHE_SERVICE_V2: 'true', ${asUsual} }
        run: |
          ${cache}
          console.log('restored', await restoreCache(['kept'], 'two-1'))
      - shell: node
        env: { ${asUsual} }
        run: |
          ${artifact}
          import { readFileSync } from 'node:fs'
          const client = new DefaultArtifactClient()
          const { artifacts } = await client.listArtifacts()
          console.log('artifacts', artifacts.map(({ name }) => name).sort().join(' '))
          const { artifact } = await client.getArtifact('\${{ needs.make.outputs.made }}')
          await client.downloadArtifact(artifact.id, { path: 'got' })
          console.log('got', readFileSync('got/result.txt', 'utf8'))
          await client.deleteArtifact('result-1')
`

test('the official cache and artifact clients work in a workflow with matrix, needs, outputs and secrets', async () => {
  await using forge = await startForge({ runner: true })
  const repo = await forge.given.repo()
  const alice = forge.as('alice')
  await alice.must('PUT', `${repo.api}/actions/secrets/DEEP`, { data: 'deep-secret' })
  await commitFiles(forge, repo.api, { '.forgejo/workflows/w.yml': workflow })
  const [run] = (await alice.must('GET', `${repo.api}/actions/runs`)).json.workflow_runs
  const { jobs } = (await alice.must('GET', `${repo.api}/actions/runs/${run.id}/jobs`)).json
  const logs = await Promise.all(
    jobs.map(async ({ id }: { id: number }) => (await alice.get(`${repo.api}/actions/jobs/${id}/logs`)).text),
  )
  const outputs = logs.map((log) => log.replaceAll(/^\S+ /gm, ''))
  assert.deepEqual(await runsOf(forge, repo.api), ['push w.yml main success'], outputs.join('\n'))
  const [first = '', , use = ''] = outputs
  assert.match(first, /^the secret is \*\*\*.{0,4}$/m)
  assert.match(use, /^restored true 18000$/m)
  assert.match(use, /^restored two-1$/m)
  assert.match(use, /^artifacts result-1 result-2$/m)
  assert.match(use, /^got result of 2, 11$/m)
  const left = await fetch(`${forge.url}/${repo.fullName}/actions/runs/1/artifacts`)
  assert.deepEqual(
    ((await left.json()) as { artifacts: { name: string }[] }).artifacts.map(({ name }) => name),
    ['result-2'],
  )
})
