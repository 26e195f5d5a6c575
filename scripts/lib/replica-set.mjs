/**
 * Several processes of the built server on one PostgreSQL database and one bucket, with a folder of their own each, behind
 * nginx. Nothing else is shared. Each part can be made to fail.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../postgres.mjs'
import { onInterrupt } from './cleanup.mjs'
import { engineFlags, fromRoot, root, toolEnvironment } from './project.mjs'
import { freePort } from './free-port.mjs'
import { startForge } from './forge.mjs'
import { nginxPorts, startNginx } from './nginx.mjs'
import { s3Account, startS3 } from './s3-server.mjs'

/** How long a command of the program may take, in milliseconds. */
const commandTimeoutMs = 120_000

/** How wrong the clock of each replica is, in seconds, in turn. */
const clockShifts = [0, 60, -60]

/** The size of the disk of one replica, small enough to be filled, in bytes. */
const smallDiskBytes = 256 << 20

/**
 * Starts the replicas.
 * @param options `program` is the built server, `config` its settings, `count` the number of replicas
 */
export async function startReplicas({ program, config, count = 3 }) {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-replicas-'))
  // The user of PostgreSQL may not read the other folder.
  const databaseFolder = mkdtempSync(join(tmpdir(), 'ingot-replicas-postgres-'))
  let database = await startPostgres({ kept: databaseFolder })
  const storagePort = await freePort()
  const storageFolder = join(folder, 's3')
  let storage = await startS3(storageFolder, storagePort)
  const front = await nginxPorts()
  const environment = {
    INGOT__server__ROOT_URL: `http://127.0.0.1:${front.webPort}/`,
    INGOT__server__SSH_PORT: String(front.sshPort),
    // A copy of a repository is made again, so scripts have no place in it.
    INGOT__security__DISABLE_GIT_HOOKS: 'true',
    INGOT__repository__STORAGE: 'blobs',
    INGOT__log__LEVEL: 'Warn',
    INGOT__packages__UPSTREAM_ALLOWED_HOST_LIST: 'loopback',
    INGOT__storage__STORAGE_TYPE: 'minio',
    INGOT__storage__MINIO_ENDPOINT: `127.0.0.1:${storagePort}`,
    INGOT__storage__MINIO_BUCKET: s3Account.bucket,
    INGOT__storage__MINIO_ACCESS_KEY_ID: s3Account.key,
    INGOT__storage__MINIO_SECRET_ACCESS_KEY: s3Account.secret,
  }
  const replicas = []
  for (let number = 1; number <= count; number++) {
    const ports = [await freePort(), await freePort()]
    replicas.push({
      number,
      data: join(folder, `replica-${number}`),
      ports,
      logs: [],
      clockShift: clockShifts[(number - 1) % clockShifts.length],
    })
  }
  for (const { data } of replicas) mkdirSync(data)
  // The last one has a disk of its own where the system allows it.
  const disk = replicas.at(-1).data
  const hasDisk =
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${smallDiskBytes},mode=700`, 'tmpfs', disk]).status === 0

  async function start(replica) {
    const { number, data: kept, ports, clockShift } = replica
    const name = `replica-${number}`
    replica.forge = await startForge({
      program,
      config,
      name,
      database,
      readableTraces: false,
      kept,
      ports,
      preload: fromRoot('scripts/lib/shifted-clock.mjs'),
      environment: { ...environment, CLOCK_SHIFT_SECONDS: String(clockShift) },
    })
    replica.url = replica.forge.url
    replica.logs.push(replica.forge.logFile)
  }
  // All at once on an empty database: one makes the schema, the administrator, and the keys.
  await Promise.all(replicas.map(start))
  const nginx = await startNginx({
    ...front,
    web: replicas.map(({ ports }) => ports[0]),
    ssh: replicas.map(({ ports }) => ports[1]),
  })

  /** Runs a command of the program with the settings of a replica, or with other ones. */
  function command({ data, other = {} }, ...args) {
    const { port, password } = database
    const env = toolEnvironment({
      ...environment,
      INGOT__database__DB_TYPE: 'postgres',
      INGOT__database__HOST: `127.0.0.1:${port}`,
      INGOT__database__NAME: 'ingot',
      INGOT__database__USER: 'ingot',
      INGOT__database__PASSWD: password,
      INGOT__database__SSL_MODE: 'disable',
      ...other,
    })
    const whole = [...engineFlags, program, ...args, '--config', config, '--data', data]
    const limits = { maxBuffer: 64 << 20, timeout: commandTimeoutMs }
    return new Promise((done) => {
      execFile(process.execPath, whole, { cwd: root, env, ...limits }, (error, out, err) =>
        done({ code: error ? (error.code ?? 1) : 0, out, err }),
      )
    })
  }

  const stop = onInterrupt(async () => {
    await Promise.all(replicas.map(({ forge }) => forge.stop()))
    await nginx.stop()
    await storage.stop()
    await database.stop()
    if (hasDisk) spawnSync('umount', ['-l', disk])
    rmSync(databaseFolder, { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  })

  return {
    url: `http://127.0.0.1:${front.webPort}`,
    ssh: `127.0.0.1:${front.sshPort}`,
    replicas,
    hasDisk,
    command,
    /** Starts one more process, on an empty folder and with other settings. Returns how it ended. */
    startOther: (name, other) =>
      command({ data: join(folder, name), other }, 'serve', '--host', '127.0.0.1', '--port', '0', '--ssh-port', '0'),
    stop,
    /** The number of processes that the database knows: the others are known to be dead. */
    async countProcesses() {
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      try {
        const { rows } = await client.query('select count(*)::int as count from process')
        return rows[0].count
      } finally {
        await client.end()
      }
    },
    kill: (replica) => replica.forge.kill(),
    start,
    pause: ({ forge }) => process.kill(forge.pid, 'SIGSTOP'),
    resume: ({ forge }) => process.kill(forge.pid, 'SIGCONT'),
    stopDatabase: () => database.stop(),
    async startDatabase() {
      database = await startPostgres({ kept: databaseFolder, port: database.port })
    },
    stopStorage: () => storage.stop(),
    async startStorage() {
      storage = await startS3(storageFolder, storagePort)
    },
    /** Removes all copies of repositories of a replica while it serves. */
    removeCopies({ data }) {
      const repositories = join(data, 'repositories')
      for (const name of readdirSync(repositories)) {
        if (/^[0-9a-f]{2}$/.test(name)) {
          rmSync(join(repositories, name), { recursive: true, force: true, maxRetries: 5 })
        }
      }
    },
    /** Fills the disk of the last replica. */
    fillDisk() {
      const { bavail, bsize } = statfsSync(disk)
      spawnSync('fallocate', ['-l', String(bavail * bsize), join(disk, 'ballast')])
    },
    emptyDisk: () => rmSync(join(disk, 'ballast'), { force: true }),
  }
}
