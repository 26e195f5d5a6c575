import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Services } from '../access/context.ts'
import { ownService } from '../access/own-service.ts'
import { recordAct } from '../audit/audit.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Config } from '../config/load-config.ts'
import { transaction } from '../db/database.ts'
import type { NewSigningKeyRow, SigningKeyRow } from '../db/tables/signing.ts'
import { Conflict, NotFound } from '../lib/errors.ts'
import { nowUnix, systemClock } from '../lib/time.ts'
import { makePgpKey, makeSshKey, openPgpSigner, sshSigner, UnusableKey, type GitSigner } from '../secrets/git-signer.ts'
import {
  clearOwnKey,
  deleteSigningKey,
  findOwnKey,
  insertOwnKey,
  listSigningKeys,
  upsertFileKey,
} from './signing-key.store.ts'

/** Purpose of sealed private keys. */
export const signingKeyPurpose = 'signing-key'

/** Largest key file, in bytes. */
const maxKeyFileBytes = 256 << 10

/** A loaded key with the identity of its signatures. */
export interface InstanceSigner {
  readonly signer: GitSigner
  readonly name: string
  readonly email: string
}

/** Loaded keys; loading one costs more than a hundred signatures. */
class OpenedKeys {
  #file: Promise<GitSigner> | undefined
  #own: { readonly fingerprint: string; readonly signer: Promise<GitSigner> } | undefined
  #making: Promise<void> | undefined

  /** The key of the file. A failure is reported to the caller; the next call tries again. */
  ofFile(read: () => Promise<GitSigner>): Promise<GitSigner> {
    this.#file ??= read().catch((error: unknown) => {
      this.#file = undefined
      throw error
    })
    return this.#file
  }

  /** The generated key that signs now; another process may have replaced it since the last call. */
  own({ fingerprint }: SigningKeyRow, open: () => Promise<GitSigner>): Promise<GitSigner> {
    if (this.#own?.fingerprint !== fingerprint) this.#own = { fingerprint, signer: open() }
    return this.#own.signer
  }

  /** The running creation of a key, shared by concurrent first commits. */
  make(run: () => Promise<void>): Promise<void> {
    this.#making ??= run().finally(() => (this.#making = undefined))
    return this.#making
  }
}

export const openedKeys = ownService('the keys that commits are signed with', { open: () => new OpenedKeys() })

/**
 * Returns the source of the signing key. `default` names the key of the system user's git configuration in the family;
 * this program does not read it and signs nothing.
 */
export function signingSource({
  repositorySigning,
  paths,
}: Pick<Config, 'repositorySigning' | 'paths'>):
  | { readonly kind: 'none' }
  | { readonly kind: 'own' }
  | { readonly kind: 'file'; readonly path: string } {
  const { signingKey } = repositorySigning
  if (['', 'none', 'default'].includes(signingKey.toLowerCase())) return { kind: 'none' }
  if (signingKey.toLowerCase() === 'generate') return { kind: 'own' }
  return { kind: 'file', path: resolve(paths.data, signingKey) }
}

const isNo = (code: string) => (error: unknown) => (error as NodeJS.ErrnoException).code === code

/** Reads the private key of a file; an SSH key may be named by its public half, as with git. Throws UnusableKey. */
async function readKeyFile({ config, clock }: Pick<Services, 'config' | 'clock'>, path: string): Promise<GitSigner> {
  const isSsh = config.repositorySigning.format === 'ssh'
  const file = isSsh ? path.replace(/\.pub$/, '') : path
  const facts = await stat(file).catch((error: unknown) => {
    if (!isNo('ENOENT')(error)) throw error
    throw new UnusableKey(
      isSsh
        ? `there is no file ${file} with the private key`
        : `there is no file ${file}: it holds the private key, as gpg --armor --export-secret-keys writes it`,
    )
  })
  if (!facts.isFile() || facts.size > maxKeyFileBytes) throw new UnusableKey(`${file} is no file of a key`)
  if ((facts.mode & 0o007) !== 0) throw new UnusableKey(`${file} is open to everybody on this machine: chmod 600`)
  const text = await readFile(file, 'utf8')
  try {
    return await (isSsh ? sshSigner(text) : openPgpSigner(text, clock.nowMs()))
  } catch (error) {
    if (error instanceof UnusableKey) throw new UnusableKey(`the key in ${file} ${error.message}`)
    throw error
  }
}

/** Returns the identity of signatures: that of the settings, else of the key, else of the instance. */
const personOf = ({ config }: Pick<Services, 'config'>, signer?: GitSigner): { name: string; email: string } => ({
  name: config.repositorySigning.signingName || signer?.name || config.instance.appName,
  email: config.repositorySigning.signingEmail || signer?.email || `noreply@${config.server.domain}`,
})

const rowOf = (services: Services, signer: GitSigner, sealed: string): NewSigningKeyRow => ({
  format: signer.format,
  fingerprint: signer.fingerprint,
  key_ids: JSON.stringify(signer.keyIds),
  public_key: signer.publicKey,
  ...personOf(services, signer),
  sealed,
  created_unix: nowUnix(services.clock),
})

const actOn = (fingerprint: string) => ({ about: { kind: 'signing key', id: null, name: fingerprint } }) as const

const openText = (format: SigningKeyRow['format'], text: string, services: Services): Promise<GitSigner> =>
  format === 'ssh' ? sshSigner(text, personOf(services).email) : openPgpSigner(text, services.clock.nowMs())

/** Creates a key of the instance unless another process created one meanwhile. */
async function makeOwnKey(services: Services): Promise<void> {
  const { config, secrets, clock, db } = services
  const { format } = config.repositorySigning
  const text = format === 'ssh' ? await makeSshKey() : await makePgpKey(personOf(services), clock.nowMs())
  const signer = await openText(format, text, services)
  await transaction(db, async (tx) => {
    const isMade = await insertOwnKey(tx, rowOf(services, signer, secrets.seal(signingKeyPurpose, text)))
    if (isMade) await recordAct(tx, { ...actOn(signer.fingerprint), action: 'signingKey.made', details: { format } })
  })
}

async function ownKey(services: Services): Promise<SigningKeyRow> {
  const { format } = services.config.repositorySigning
  const known = await findOwnKey(services.db, format)
  if (known) return known
  await openedKeys.of(services).make(() => makeOwnKey(services))
  const made = await findOwnKey(services.db, format)
  // Concurrent processes keep replacing the key; the next call finds the latest.
  if (!made) throw new Conflict('the key that signs commits is being replaced: try again', 'signing_key_moved')
  return made
}

/** Returns the current signing key; undefined when the instance signs nothing or the key has expired. */
export async function instanceSigner(services: Services): Promise<InstanceSigner | undefined> {
  const source = signingSource(services.config)
  if (source.kind === 'none') return undefined
  const opened = openedKeys.of(services)
  const signer =
    source.kind === 'file'
      ? await opened.ofFile(() => readKeyFile(services, source.path))
      : await ownSigner(services, await ownKey(services))
  if (signer.expiresUnix !== undefined && signer.expiresUnix <= nowUnix(services.clock)) return undefined
  return { signer, ...personOf(services, signer) }
}

const ownSigner = (services: Services, row: SigningKeyRow): Promise<GitSigner> =>
  openedKeys
    .of(services)
    .own(row, () => openText(row.format, services.secrets.open(signingKeyPurpose, row.sealed), services))

/**
 * Loads the key when the server starts and records its public half for verification. Throws ConfigError when signing is
 * on and impossible.
 */
export async function beginSigning(services: Services): Promise<void> {
  const source = signingSource(services.config)
  if (source.kind === 'none') return
  if (source.kind === 'own') {
    await ownKey(services)
    return
  }
  try {
    const signer = await openedKeys.of(services).ofFile(() => readKeyFile(services, source.path))
    await transaction(services.db, async (tx) => {
      if (!(await upsertFileKey(tx, rowOf(services, signer, '')))) return
      await recordAct(tx, {
        ...actOn(signer.fingerprint),
        action: 'signingKey.added',
        details: { format: signer.format },
      })
    })
  } catch (error) {
    throw asConfigError(error)
  }
}

/** Checks the file of the signing key before a start. Throws ConfigError. */
export async function checkSigningKey(config: Config): Promise<void> {
  const source = signingSource(config)
  if (source.kind !== 'file') return
  try {
    await readKeyFile({ config, clock: systemClock }, source.path)
  } catch (error) {
    throw asConfigError(error)
  }
}

/** Returns the error of an unusable key as one of the setting; any other error unchanged. */
function asConfigError(error: unknown): unknown {
  if (!(error instanceof UnusableKey) && !isNo('EACCES')(error)) return error
  const { message: reason } = error as Error
  return new ConfigError([{ where: '', section: 'repository.signing', key: 'SIGNING_KEY', reason }])
}

/**
 * Returns the public half of the signing key as text.
 * @returns undefined without a key of that format
 */
export async function readPublicSigningKey(
  services: Services,
  format: SigningKeyRow['format'],
): Promise<string | undefined> {
  if (services.config.repositorySigning.format !== format) return undefined
  const source = signingSource(services.config)
  if (source.kind === 'none') return undefined
  if (source.kind === 'own') return (await ownKey(services)).public_key
  return (await openedKeys.of(services).ofFile(() => readKeyFile(services, source.path))).publicKey
}

/** Returns the current and former keys of the instance, newest first. */
export const getSigningKeys = listSigningKeys

/**
 * Replaces the generated key. Signatures of the former stay trusted unless `forgets`. Throws `Conflict` when the
 * instance does not sign with a generated key.
 */
export async function renewOwnKey(
  services: Services,
  { forgets }: { readonly forgets: boolean },
): Promise<SigningKeyRow> {
  if (signingSource(services.config).kind !== 'own') {
    throw new Conflict(
      'the instance signs with no key of its own: set [repository.signing].SIGNING_KEY = generate',
      'no_own_key',
    )
  }
  const former = await findOwnKey(services.db, services.config.repositorySigning.format)
  if (former) {
    await transaction(services.db, async (tx) => {
      const isDone = forgets ? await deleteSigningKey(tx, former.id) : await clearOwnKey(tx, former.id)
      if (!isDone) return
      const action = forgets ? 'signingKey.forgotten' : 'signingKey.retired'
      await recordAct(tx, { ...actOn(former.fingerprint), action })
    })
  }
  return ownKey(services)
}

/** Stops trusting a former key by fingerprint. Throws `NotFound`, `Conflict`. */
export async function forgetSigningKey(services: Services, fingerprint: string): Promise<void> {
  const key = (await listSigningKeys(services.db)).find((each) => each.fingerprint === fingerprint)
  if (!key) throw new NotFound(`key ${fingerprint} does not exist`, 'signing_key_not_found')
  const now = await instanceSigner(services)
  if (now?.signer.fingerprint === fingerprint) {
    throw new Conflict('the instance signs with this key: renew it, or name another file', 'signing_key_in_use')
  }
  await transaction(services.db, async (tx) => {
    if (await deleteSigningKey(tx, key.id)) {
      await recordAct(tx, { ...actOn(fingerprint), action: 'signingKey.forgotten' })
    }
  })
}
