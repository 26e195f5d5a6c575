import { createHash, randomBytes } from 'node:crypto'
import { access, chmod, constants, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Unavailable } from '../lib/errors.ts'
import { fetchedPrefix } from '../lib/refs.ts'

/** Search path for commands. git inherits nothing from the environment of the server. */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin'

/**
 * The `pre-receive` and `post-receive` hooks. They start no process: `read`, `printf` and `echo` are shell built-ins.
 * Each line begins with a keyword, and free text has its length in bytes (LC_ALL is C); see broker/hook-link.ts. When
 * the server dies, the loop ends at the end of the file and the hook refuses. After the server accepted, the hook runs
 * the scripts of the repository (custom-hooks.ts).
 */
const receiveHook = `#!/bin/sh
updates=
custom=
{
  echo "hook \${0##*/}"
  printf 'quarantine %s %s\\n' "\${#GIT_QUARANTINE_PATH}" "$GIT_QUARANTINE_PATH"
  i=0
  while [ "$i" -lt "\${GIT_PUSH_OPTION_COUNT:-0}" ]; do
    eval "o=\\$GIT_PUSH_OPTION_$i"
    printf 'option %s %s\\n' "\${#o}" "$o"
    i=$((i + 1))
  done
  while IFS= read -r line; do
    printf 'ref %s\\n' "$line"
    [ ! -d custom_hooks ] || updates="$updates$line
"
  done
  echo end
} >&3
while IFS= read -r line <&4; do
  case $line in
    'say '*) printf '%s\\n' "\${line#say }" >&2 ;;
    custom) custom=1 ;;
    'exit '*) break ;;
  esac
done
[ "$line" = 'exit 0' ] || exit 1
[ -n "$custom" ] && [ -d custom_hooks ] || exit 0
exec 3>&- 4>&- 5>&- 6>&-
if [ "\${0##*/}" = pre-receive ] && [ -x custom_hooks/update ]; then
  printf '%s' "$updates" | while read -r old new ref; do custom_hooks/update "$ref" "$old" "$new" </dev/null || exit 1; done || exit 1
fi
[ -x "custom_hooks/\${0##*/}" ] || exit 0
printf '%s' "$updates" | "custom_hooks/\${0##*/}"
`

/**
 * Relays both directions of the proc-receive conversation. A background job loses its standard input, hence descriptor
 * 7.
 */
const topicHook = `#!/bin/sh
exec 7<&0
cat <&7 >&5 &
exec cat <&6
`

const hooks = { 'pre-receive': receiveHook, 'post-receive': receiveHook, 'proc-receive': topicHook }

/** git streams larger files. */
const bigFileBytes = 8 << 20

/** Threads of one packing git; each has its own window in memory. */
const maxPackThreads = 4

/** Harmless faults in the histories of well-known projects; pushes and fetches accept them. */
const harmlessFaults = [
  'badTimezone',
  'missingSpaceBeforeDate',
  'zeroPaddedFilemode',
  'zeroPaddedDate',
  'missingEmail',
  'missingNameBeforeEmail',
  'multipleAuthors',
]
  .map((fault) => `\t${fault} = ignore`)
  .join('\n')

const configuration = (hooksFolder: string, durable: boolean): string => `
[core]
\thooksPath = ${hooksFolder}
\tlogAllRefUpdates = false
\tfilesRefLockTimeout = 5000
\tpackedRefsTimeout = 5000
\tprecomposeUnicode = false
\t; The names that file systems of clients take for .git are refused, whatever file system this is.
\tprotectHFS = true
\tprotectNTFS = true
\tquotePath = false
\tfsync = ${durable ? 'committed,reference' : 'none'}
\tfsyncMethod = batch
\tcommitGraph = true
\t; A push in quarantine takes the repository for one that it borrows from, and a process would list the references of that one,
\t; which git has read already. No repository here borrows from another.
\talternateRefsCommand = true
\t; Larger files are written and sent as they come, never held whole, and never compared with others to save bytes.
\tbigFileThreshold = ${bigFileBytes}
\tdeltaBaseCacheLimit = 32m
\tpackedGitWindowSize = 32m
\tpackedGitLimit = 256m
[safe]
\tdirectory = *
[init]
\tdefaultBranch = main
[gc]
\tauto = 0
[maintenance]
\tauto = false
[protocol]
\tversion = 2
\tallow = never
[transfer]
\tadvertiseSID = false
\tadvertiseObjectInfo = true
\tunpackLimit = 100
\thideRefs = ${fetchedPrefix}
[receive]
\tadvertiseAtomic = true
\tadvertisePushOptions = true
\tautogc = false
\tdenyCurrentBranch = ignore
\tdenyDeleteCurrent = ignore
\tfsckObjects = true
\thideRefs = refs/pull/
\t; git moves no reference: the hook answers for all of them.
\tprocReceiveRefs = refs
\tupdateServerInfo = false
[receive "fsck"]
${harmlessFaults}
[fetch]
\tfsckObjects = true
[fetch "fsck"]
${harmlessFaults}
[uploadpack]
\tallowFilter = true
\tallowReachableSHA1InWant = true
\tallowTipSHA1InWant = true
[uploadarchive]
\tallowUnreachable = true
[pack]
\tthreads = ${Math.min(maxPackThreads, availableParallelism())}
\twindowMemory = 64m
\tdeltaCacheSize = 64m
\twriteReverseIndex = true
[repack]
\twriteBitmaps = true
[diff]
\trenames = true
\trenameLimit = 1000
[merge]
\trenames = true
\tconflictStyle = merge
[user]
\tname = git
\temail = git@localhost
\tuseConfigOnly = false
`

export type GitSettings = {
  /** Folder of the hooks, checked before each push. */
  readonly hooksFolder: string
  /** Environment of every git process. */
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Writes the configuration and the hooks of all git processes below the repositories. The folder is named by a hash of
 * its content, so that servers of different versions can share the repositories. Idempotent.
 */
export async function writeGitSettings(repositoriesRoot: string, durable: boolean): Promise<GitSettings> {
  const texts = { ...hooks, configuration: configuration('', durable) }
  const version = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
  const folder = join(repositoriesRoot, '.settings', version)
  const hooksFolder = join(folder, 'hooks')
  await mkdir(hooksFolder, { recursive: true })
  for (const [name, text] of Object.entries(hooks)) await replaceFile(join(hooksFolder, name), text, 0o755)
  await replaceFile(join(folder, 'gitconfig'), configuration(hooksFolder, durable), 0o644)
  await checkHooks(hooksFolder)
  return {
    hooksFolder,
    environment: {
      PATH: searchPath,
      HOME: folder,
      LC_ALL: 'C',
      TZ: 'UTC',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: 'true',
      GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_OPTIONAL_LOCKS: '0',
    },
  }
}

/**
 * Throws `Unavailable` when a hook is missing or not executable: git would skip it, and the push would be checked by
 * nothing.
 */
export async function checkHooks(hooksFolder: string): Promise<void> {
  try {
    await Promise.all(Object.keys(hooks).map((name) => access(join(hooksFolder, name), constants.X_OK)))
  } catch (error) {
    throw new Unavailable('the git hooks cannot be executed', 'git_hooks_unusable', { cause: String(error) })
  }
}

async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const present = await readFile(path, 'utf8').catch(() => undefined)
  if (present !== text) {
    const temporary = `${path}.${randomBytes(6).toString('hex')}`
    await writeFile(temporary, text, { mode })
    await rename(temporary, path)
  }
  // The umask of the server may have cleared the bit.
  await chmod(path, mode)
}
