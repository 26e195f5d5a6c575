import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'

/** Makes a key of the kind that its file is called. */
async function generate(path: string): Promise<string> {
  const name = basename(path).toLowerCase()
  // Only a first start makes keys.
  const { default: ssh } = await import('ssh2')
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, keys: { private: string }): void =>
      error ? reject(error) : resolve(keys.private)
    if (name.includes('ecdsa')) ssh.utils.generateKeyPair('ecdsa', { bits: 256 }, done)
    else if (name.includes('rsa')) ssh.utils.generateKeyPair('rsa', { bits: 3072 }, done)
    else ssh.utils.generateKeyPair('ed25519', {}, done)
  })
}

/**
 * The private host keys of the files, in the form of OpenSSH. Missing ones are made, so that clients that have seen the
 * server once know it again; of several servers that start at the same time on one folder the first one's key counts.
 */
export function loadHostKeys(paths: readonly string[]): Promise<string[]> {
  return Promise.all(paths.map(loadOrMake))
}

async function loadOrMake(path: string): Promise<string> {
  return (await read(path)) ?? make(path)
}

const read = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

async function make(path: string): Promise<string> {
  const key = await generate(path)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(temporary, key, { mode: 0o600, flush: true })
  try {
    // Unlike a rename this fails when another server was faster.
    await link(temporary, path)
    return key
  } catch (error) {
    const theirs = (error as NodeJS.ErrnoException).code === 'EEXIST' ? await read(path) : undefined
    if (theirs === undefined) throw error
    return theirs
  } finally {
    await unlink(temporary)
  }
}
