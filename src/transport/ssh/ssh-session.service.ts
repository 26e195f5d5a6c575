import { serverWork } from '../../access/server-work.ts'
import type { Readable, Writable } from 'node:stream'
import {
  findAccountByFormerName,
  findAccountByName,
  findRepoByFormerName,
  findRepoByName,
} from '../../access/access.store.ts'
import type { Ctx, Services } from '../../access/context.ts'
import { requestOrigin, withOrigin } from '../../audit/request-origin.ts'
import { checkAccountState } from '../../auth/identify.ts'
import { credentialName, viewerOf, type Viewer } from '../../auth/viewer.ts'
import type { PublicKeyRow, UserRow } from '../../db/tables/accounts.ts'
import type { RepoRow } from '../../db/tables/repositories.ts'
import type { GitService as RunningGit } from '../../git/git-service.ts'
import { issueTicket } from '../../lfs/tickets/ticket.service.ts'
import type { TicketProof } from '../../lfs/tickets/ticket.ts'
import { Forbidden, NotFound, Refusal } from '../../lib/errors.ts'
import { releaseChunk, isFleeting } from '../../lib/fleeting.ts'
import { nowUnix } from '../../lib/time.ts'
import { fingerprintOf } from '../../secrets/ssh-public-key.ts'
import { shareOfAddress } from '../../http/client-address.ts'
import { shareOfClient } from '../../access/client-share.ts'
import type { CertifiedPerson } from './certificate-sign-in.service.ts'
import { openForGit, type GitPushCtx } from '../git-access.service.ts'
import type { GitAddress } from '../git-address.ts'
import { limitFetchInput } from '../input-limits.ts'
import { pushInto } from '../push.ts'
import { forcedCommand } from './ssh-certificate.rules.ts'
import { parseSshCommand, type SshCommand } from './ssh-command.parse.ts'
import { findDeployAccess, findKeyByFingerprint, findKeyOwner } from './ssh-key.store.ts'

/** A caller that signed in with a key; a deploy key has no account. */
interface KeyHolder {
  readonly key: PublicKeyRow
  readonly user: UserRow | undefined
}

/** A caller that signed in with a key or a certificate. */
export type SshCaller = KeyHolder | (CertifiedPerson & { readonly key?: undefined })

/** The streams of a command. */
export interface SshStreams {
  readonly input: Readable
  readonly output: Writable
  readonly errors: Writable
}

/** A command with its session. */
export interface SshRequest {
  /** undefined when the client asks for a shell. */
  readonly command: string | undefined
  /** Value of `GIT_PROTOCOL`. */
  readonly protocol: string | undefined
  /** Network address of the client. */
  readonly address: string
  /** Aborted when the client disconnects or the server stops. */
  readonly signal: AbortSignal
}

/** Name of the program in messages to clients. */
const product = 'Ingot'

/** Runs a command and returns its exit status. A refusal is one line on the error stream. */
export async function runSshCommand(
  services: Services,
  caller: SshCaller,
  request: SshRequest,
  streams: SshStreams,
): Promise<number> {
  const command = caller.key ? request.command : (forcedCommand(caller.certificate) ?? request.command)
  if (command === undefined) {
    streams.output.write(greeting(caller))
    return 0
  }
  try {
    const parsed = parseSshCommand(command)
    const operation = parsed.kind === 'git' ? `ssh ${parsed.service}` : 'ssh'
    const call = { address: request.address, requestId: '', operation }
    return await withOrigin(call, () => serve(services, caller, parsed, request, streams))
  } catch (error) {
    const isKnown = error instanceof Refusal
    if (!isKnown && !request.signal.aborted) services.log('error', 'an SSH command failed', { error })
    streams.errors.write(`${product}: ${isKnown ? error.message : 'internal error'}\n`)
    return 1
  }
}

const greeting = (caller: SshCaller): string =>
  `Hello ${caller.key ? (caller.user?.name ?? caller.key.title) : caller.user.name}! You successfully authenticated with ` +
  `${caller.key ? `the key ${JSON.stringify(caller.key.title)}` : `the certificate ${caller.certificate.serial}`}. ` +
  `${product} offers no shell; use it with git.\n`

/** Reads the caller again: a connection may outlive its key or account. */
async function rereadCaller({ db }: Services, caller: SshCaller): Promise<SshCaller> {
  const gone = (): Forbidden =>
    new Forbidden('the key or its account was removed; connect with another key', 'key_removed')
  if (!caller.key) {
    const user = await findKeyOwner(db, caller.user.id)
    if (!user) throw gone()
    return { ...caller, user }
  }
  const key = await findKeyByFingerprint(db, caller.key.fingerprint)
  if (key?.id !== caller.key.id) throw gone()
  const user = key.owner_id === null ? undefined : await findKeyOwner(db, key.owner_id)
  if (key.owner_id !== null && !user) throw gone()
  return { key, user }
}

async function serve(
  services: Services,
  signedIn: SshCaller,
  command: SshCommand,
  request: SshRequest,
  streams: SshStreams,
): Promise<number> {
  if (command.kind === 'unknown') {
    throw new Forbidden(`the command ${JSON.stringify(command.name)} is not offered`, 'command_unknown')
  }
  const caller = await rereadCaller(services, signedIn)
  if (caller.user) checkAccountState(caller.user)
  const repository = await findRepository(services, command.address)
  const viewer = await viewerOfCaller(services, caller, repository, wantsToWrite(command))
  // A deploy key has no account, so its id identifies it.
  const person = caller.user ? { person: { id: caller.user.id, name: caller.user.name } } : {}
  Object.assign(requestOrigin() ?? {}, { credential: credentialName(viewer.credential), ...person })
  const claim = {
    viewer: viewer.id,
    isAdmin: viewer.isAdmin,
    address: shareOfAddress(request.address),
    repository: undefined,
  }
  const ctx: Ctx = { ...serverWork(services, request.signal), viewer, claim }
  const address = repository
    ? { ...command.address, owner: repository.owner.name, name: repository.repo.name }
    : command.address
  if (command.kind === 'lfs-ticket') {
    const ticket = await issueTicket({ ...ctx, viewer }, address, proofOf(caller), command.operation)
    streams.output.write(`${JSON.stringify(ticket)}\n`)
    return 0
  }
  const opened = { ...ctx, ...(await openForGit(ctx, address, command.service)) }
  const { signal, protocol } = request
  const conversation = {
    ...(protocol === undefined ? {} : { protocol }),
    stateless: false,
    body: streams.input,
    signal,
  }
  const placed = (kind: 'fetches' | 'archives') => {
    const share = shareOfClient(opened, kind)
    return share && { share }
  }
  switch (command.service) {
    case 'git-upload-pack': {
      using held = holding(opened)
      const body = limitFetchInput(streams.input, held.add)
      return await relay(
        await services.git.uploadPack(opened.gitKey, { ...conversation, body, ...placed('fetches') }),
        streams,
        signal,
      )
    }
    case 'git-upload-archive':
      return relay(
        await services.git.uploadArchive(opened.gitKey, { ...conversation, ...placed('archives') }),
        streams,
        signal,
      )
    case 'git-receive-pack':
      return relay(await pushInto(opened as GitPushCtx, conversation), streams, signal)
  }
}

/** Accounts for client input held in memory until disposal. */
function holding({ admission, claim }: Ctx): Disposable & { readonly add: (bytes: number) => void } {
  let heldBytes = 0
  return {
    add: (bytes) => {
      if (claim) admission.bytes.take(claim, bytes)
      heldBytes += bytes
    },
    [Symbol.dispose]: () => {
      if (claim) admission.bytes.release(claim, heldBytes)
    },
  }
}

interface RepositoryAtAddress {
  readonly owner: UserRow
  readonly repo: RepoRow
}

/** Finds the repository of an address. git over SSH has no redirects, so former names are followed here. */
async function findRepository({ db }: Services, address: GitAddress): Promise<RepositoryAtAddress | undefined> {
  const ownerName = address.owner.toLowerCase()
  const owner = (await findAccountByName(db, ownerName)) ?? (await findAccountByFormerName(db, ownerName))
  if (!owner) return undefined
  const repo = await findRepoByName(db, owner.id, address.name.toLowerCase())
  if (repo) return { owner, repo }
  const moved = await findRepoByFormerName(db, owner.id, address.name.toLowerCase())
  const newOwner = moved && (await findAccountByName(db, moved.owner_name.toLowerCase()))
  const newRepo = newOwner && (await findRepoByName(db, newOwner.id, moved.repo_name.toLowerCase()))
  return newRepo && { owner: newOwner, repo: newRepo }
}

/** The caller as a viewer. A connection may outlive its certificate. */
async function viewerOfCaller(
  services: Services,
  caller: SshCaller,
  repository: RepositoryAtAddress | undefined,
  writes: boolean,
): Promise<Viewer> {
  if (caller.key) {
    if (!caller.user) return deployViewer(services, caller.key, repository, writes)
    return viewerOf(caller.user, { kind: 'ssh', keyId: caller.key.id })
  }
  const { authority, serial, validUntilUnix } = caller.certificate
  if (nowUnix(services.clock) >= validUntilUnix) {
    throw new Forbidden('the certificate has expired; get a new one and connect again', 'certificate_expired')
  }
  return viewerOf(caller.user, { kind: 'certificate', authority: fingerprintOf(authority), serial: `${serial}` })
}

/** The credential behind an LFS ticket. */
function proofOf(caller: SshCaller): TicketProof {
  if (caller.key) return { keyId: caller.key.id }
  const { authority, serial, validUntilUnix: untilUnix } = caller.certificate
  return { authority: fingerprintOf(authority), serial: `${serial}`, untilUnix }
}

const wantsToWrite = (command: Exclude<SshCommand, { kind: 'unknown' }>): boolean =>
  command.kind === 'git' ? command.service === 'git-receive-pack' : command.operation === 'upload'

/** A deploy key acts as the owner of the repository, only in repositories that it was added to. */
async function deployViewer(
  { db }: Services,
  key: PublicKeyRow,
  repository: RepositoryAtAddress | undefined,
  writes: boolean,
): Promise<Viewer> {
  const access = repository && (await findDeployAccess(db, key.id, repository.repo.id))
  if (!access) throw new NotFound('the key is not authorised to read the repository: not found')
  if (writes && access.is_read_only) {
    throw new Forbidden('the key is not authorised to write', 'key_read_only')
  }
  return viewerOf(repository.owner, {
    kind: 'deploy',
    keyId: key.id,
    repoId: repository.repo.id,
    readOnly: access.is_read_only,
  })
}

/** Forwards git's output with back-pressure, then its errors. */
async function relay(running: RunningGit, streams: SshStreams, signal: AbortSignal): Promise<number> {
  const { output } = running
  const written = new Promise<void>((resolve) => {
    output.once('close', resolve)
    output.once('end', resolve)
  })
  // An accepted push continues without its client; its output is dropped.
  const drop = (): void => void output.destroy()
  signal.addEventListener('abort', drop, { once: true })
  if (signal.aborted) drop()
  output.on('data', (piece: Buffer) => {
    const isWanted = streams.output.write(piece, (error) => {
      // ssh2 has encrypted the piece into another buffer. After an error the connection may still hold it.
      if (!error && isFleeting(output)) releaseChunk(piece)
    })
    if (isWanted) return
    output.pause()
    streams.output.once('drain', () => output.resume())
  })
  try {
    const { exitCode, stderr } = await running.finished
    await written
    if (exitCode !== 0 && stderr !== '') streams.errors.write(`${stderr}\n`)
    return exitCode
  } finally {
    signal.removeEventListener('abort', drop)
  }
}
