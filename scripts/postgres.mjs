#!/usr/bin/env node
/**
 * Starts a throw-away PostgreSQL server for tests from Debian's package, which it installs when missing and run as root.
 * Run directly, it prints the address and serves until it is interrupted.
 *
 *     node scripts/postgres.mjs
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onInterrupt } from './lib/cleanup.mjs'
import { installPackages } from './lib/debian.mjs'
import { freePort } from './lib/free-port.mjs'
import { fail } from './lib/project.mjs'

const readyTimeoutMs = 60_000
const stopTimeoutMs = 20_000
const oldestMajor = 14

const isRoot = process.getuid?.() === 0

/** The folder with the programs of the newest installed version. */
function programFolder() {
  const base = '/usr/lib/postgresql'
  const majors = existsSync(base)
    ? readdirSync(base)
        .map(Number)
        .filter((major) => major >= oldestMajor)
    : []
  const folders = majors.sort((a, b) => b - a).map((major) => join(base, String(major), 'bin'))
  const other = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' })
  if (other.status === 0) folders.push(other.stdout.trim())
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

function installedFolder() {
  const folder = programFolder()
  if (folder !== undefined) return folder
  installPackages('postgresql')
  return programFolder() ?? fail('postgresql was installed, but its programs were not found')
}

/** PostgreSQL refuses to run as root; this is the user that Debian's package created. */
function serverUser() {
  if (!isRoot) return {}
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Free memory, in bytes, that a file system in memory must have to hold the server. */
const roomBytes = 4 * 2 ** 30

/**
 * The parent folder of a throw-away server: in memory when there is enough. Each database has a thousand files, and ext4
 * without a journal creates files slowly after many were removed, which doubles the time of the tests.
 */
function temporaryFolder() {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    if (bavail * bsize >= roomBytes && process.availableMemory() >= 2 * roomBytes) return memory
  } catch {
    // Not every system has this file system.
  }
  return tmpdir()
}

const accepts = (port) =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => socket.destroy(resolve(true)))
    socket.once('error', () => resolve(false))
  })

/**
 * Starts a server on loopback with an empty data folder, or with `kept`, a folder that is created when missing and not
 * removed. `durable` keeps `fsync` on. `port` is the port of a server that was stopped before. Returns the address of an
 * empty database, whose role may create more, and `stop()`, which ends the server and removes its files.
 */
export async function startPostgres({ durable = false, kept, port: wantedPort } = {}) {
  const programs = installedFolder()
  const user = serverUser()
  const folder = kept ?? mkdtempSync(join(durable ? tmpdir() : temporaryFolder(), 'ingot-postgres-'))
  if (kept !== undefined) mkdirSync(kept, { recursive: true })
  const isNew = !existsSync(join(folder, 'data', 'PG_VERSION'))
  const own = (path) => user.uid !== undefined && chownSync(path, user.uid, user.gid)
  chmodSync(folder, 0o700)
  own(folder)
  const passwordFile = join(folder, 'password')
  const password = isNew ? randomBytes(12).toString('hex') : readFileSync(passwordFile, 'utf8')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  own(passwordFile)

  const data = join(folder, 'data')
  const initialise = () =>
    spawnSync(
      join(programs, 'initdb'),
      [
        '-D',
        data,
        '-U',
        'ingot',
        '--pwfile',
        passwordFile,
        '--auth=scram-sha-256',
        '-E',
        'UTF8',
        '--locale=C.UTF-8',
        '--no-sync',
      ],
      { ...user, cwd: folder, encoding: 'utf8' },
    )
  const made = isNew ? initialise() : { status: 0 }
  if (made.status !== 0) {
    rmSync(folder, { recursive: true, force: true })
    fail(`initdb failed: ${made.stderr ?? made.error?.message}`)
  }

  const port = wantedPort ?? (await freePort())
  const logFile = join(folder, 'log')
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    max_connections: 300,
    shared_buffers: '128MB',
    // No data outlives the run, so nothing waits for the disk.
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    logging_collector: 'off',
  }
  const server = spawn(
    '/bin/sh',
    [
      '-c',
      'exec "$0" "$@" >log 2>&1',
      join(programs, 'postgres'),
      '-D',
      data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...user, cwd: folder, stdio: 'ignore' },
  )
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const isRunning = () => server.exitCode === null && server.signalCode === null

  const stop = onInterrupt(async () => {
    if (isRunning()) {
      // SIGINT is the fast shutdown: it ends sessions instead of waiting for them.
      server.kill('SIGINT')
      const timer = setTimeout(() => server.kill('SIGKILL'), stopTimeoutMs)
      await ended
      clearTimeout(timer)
    }
    if (kept === undefined) rmSync(folder, { recursive: true, force: true })
  })

  const createDatabase = () =>
    spawnSync(
      join(programs, 'psql'),
      ['-h', '127.0.0.1', '-p', String(port), '-U', 'ingot', '-d', 'postgres', '-qc', 'create database ingot'],
      { encoding: 'utf8', env: { ...process.env, PGPASSWORD: password } },
    )

  const deadline = Date.now() + readyTimeoutMs
  while (isRunning() && Date.now() < deadline) {
    if (await accepts(port)) {
      const created = createDatabase()
      if (created.status === 0 || /already exists/.test(created.stderr ?? '')) {
        return { url: `postgres://ingot:${password}@127.0.0.1:${port}/ingot`, port, password, stop, pid: server.pid }
      }
      if (!/starting up/.test(created.stderr ?? '')) {
        await stop()
        fail(`the test database could not be made: ${created.stderr ?? created.error?.message}`)
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const log = existsSync(logFile) ? readFileSync(logFile, 'utf8') : ''
  await stop()
  return fail(`PostgreSQL did not start within ${readyTimeoutMs / 1000} s:\n${log}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await startPostgres()
  console.log(server.url)
  // The interrupt handler stops the server, which ends this process.
  setInterval(() => {}, 1 << 30)
}
