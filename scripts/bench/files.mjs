#!/usr/bin/env node
/**
 * Measures upload and download of a large file, as a release attachment and as an LFS object, beside a copy of the file by
 * Node's streams in the same round, with the server's processor time and memory.
 *
 *     npm run bench:files [-- [--megabytes 1024] [--rounds 3] [--folder FOLDER] [--only WORD]]
 *
 * `--folder` holds the file, its copies and the server's data. The client is curl.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { apiOf, quantile } from '../lib/api-client.mjs'
import { onInterrupt } from '../lib/cleanup.mjs'
import { administrator, buildForge, startForge } from '../lib/forge.mjs'
import { ensureReady, fromRoot } from '../lib/project.mjs'

await ensureReady()
const { values: options } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '1024' },
    rounds: { type: 'string', default: '3' },
    folder: { type: 'string', default: tmpdir() },
    only: { type: 'string', default: '' },
  },
})
const megabytes = Number(options.megabytes)
const rounds = Number(options.rounds)
const restMs = 12_000
const clockTicks = 100

const folder = mkdtempSync(join(options.folder, 'ingot-files-'))
const clean = onInterrupt(() => rmSync(folder, { recursive: true, force: true }))
const program = await buildForge()
process.env.TMPDIR = folder
const forge = await startForge({
  program,
  config: fromRoot('test/conformance/profiles/default.ini'),
  name: 'bench-files',
  readableTraces: false,
})

/** Memory of the server's process, in MB. */
const memory = () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${forge.pid}/status`, 'utf8'))?.[1]) / 1024

/** Processor time of the server, in seconds. */
function processor() {
  const fields = readFileSync(`/proc/${forge.pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / clockTicks
}

/** The speed (MB/s), server CPU (s) and peak memory (MB) of a transfer. */
async function watched(work) {
  let mostMemory = 0
  const timer = setInterval(() => (mostMemory = Math.max(mostMemory, memory())), 20)
  const [beganMs, before] = [performance.now(), processor()]
  try {
    await work()
    const rate = megabytes / ((performance.now() - beganMs) / 1000)
    return { rate, processor: processor() - before, mostMemory }
  } finally {
    clearInterval(timer)
  }
}

/** Runs curl and returns the server's answer; throws unless it is a success. */
function curl(...parts) {
  return new Promise((resolve, reject) => {
    const given = ['--silent', '--show-error', '--fail-with-body', '--header', 'Expect:', ...parts]
    const child = spawn('curl', given, { stdio: ['ignore', 'pipe', 'inherit'] })
    let answer = ''
    child.stdout.on('data', (chunk) => (answer += chunk))
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0 ? resolve(answer) : reject(new Error(`curl ended with ${code}: ${answer}`)),
    )
  })
}

/** Writes a random file and returns its SHA-256. */
async function makeFile(path) {
  const megabyte = 1 << 20
  const hash = createHash('sha256')
  await pipeline(
    function* pieces() {
      for (let index = 0; index < megabytes; index += 1) {
        const piece = createHash('shake256', { outputLength: megabyte }).update(`${index}`).digest()
        hash.update(piece)
        yield piece
      }
    },
    createWriteStream(path, { flush: true }),
  )
  return hash.digest('hex')
}

let status = 0
try {
  const [source, copy] = [join(folder, 'source'), join(folder, 'copy')]
  const oid = await makeFile(source)
  const api = await apiOf(forge.url)
  const owner = administrator.login
  const authorized = ['--header', `Authorization: token ${api.token}`]
  const bytes = ['--header', 'Content-Type: application/octet-stream']
  await api('POST', '/user/repos', { name: 'files', auto_init: true })
  const release = await api('POST', `/repos/${owner}/files/releases`, { tag_name: 'v1' })
  const assets = `${forge.url}/api/v1/repos/${owner}/files/releases/${release.id}/assets`
  const lfs = `${forge.url}/${owner}/files.git/info/lfs/objects/${oid}`
  const size = megabytes * (1 << 20)
  let asset
  const discardAsset = async () => {
    await curl(...authorized, '--request', 'DELETE', `${assets}/${JSON.parse(asset).id}`)
    asset = undefined
  }
  const sendBytes = async () => {
    asset = await curl(...authorized, ...bytes, '--request', 'POST', '--upload-file', source, `${assets}?name=file`)
  }
  const sendForm = async () => {
    asset = await curl(...authorized, '--form', `attachment=@${source};filename=file`, assets)
  }
  const fetchInto = (url, path) => curl(...authorized, '--location', '--output', path, url)
  const download = `${forge.url}/${owner}/files/releases/download/v1/file`
  const copyFlushed = () => pipeline(createReadStream(source), createWriteStream(copy, { flush: true }))
  const copyPlain = () => pipeline(createReadStream(source), createWriteStream(copy))
  // Each beside a copy that causes the same disk work.
  const works = [
    { name: 'in, as bytes', beside: copyFlushed, run: sendBytes, after: discardAsset },
    { name: 'in, as a form', beside: copyFlushed, run: sendForm },
    { name: 'out, to a file', beside: copyPlain, run: () => fetchInto(download, copy) },
    { name: 'out, to nowhere', beside: copyPlain, run: () => fetchInto(download, '/dev/null'), after: discardAsset },
    {
      name: 'in, as an LFS object',
      beside: copyFlushed,
      run: () => curl(...authorized, ...bytes, '--upload-file', source, `${lfs}/${size}`),
    },
    { name: 'out, as an LFS object', beside: copyPlain, run: () => fetchInto(lfs, copy) },
  ].filter(({ name }) => name.includes(options.only))
  await new Promise((resolve) => setTimeout(resolve, restMs))
  const idle = memory()
  console.log(`${megabytes} MB in ${folder}, ${idle.toFixed(0)} MB when idle; middle of ${rounds} rounds`)
  const found = new Map(works.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, beside, run, after } of works) {
      const copied = await watched(beside)
      rmSync(copy, { force: true })
      found.get(name).push({ ...(await watched(run)), copied: copied.rate })
      rmSync(copy, { force: true })
      await after?.()
    }
  }
  for (const [name, all] of found) {
    const middle = (of) => quantile(all.map(of), 0.5)
    console.log(
      `${name.padEnd(24)}${middle(({ rate }) => rate)
        .toFixed(0)
        .padStart(6)} MB/s ` +
        `${middle(({ rate, copied }) => rate / copied)
          .toFixed(2)
          .padStart(6)} of a copy ` +
        `(${middle(({ copied }) => copied).toFixed(0)} MB/s) ` +
        `${middle(({ processor: used }) => used)
          .toFixed(1)
          .padStart(6)} s CPU ` +
        `${(Math.max(...all.map(({ mostMemory }) => mostMemory)) - idle).toFixed(0).padStart(5)} MB above idle`,
    )
  }
} catch (error) {
  console.error(error)
  status = 1
} finally {
  await forge.stop()
  clean()
}
process.exitCode = status
