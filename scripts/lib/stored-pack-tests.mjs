/** Tests that cannot hold with `INGOT_TEST_REPOSITORIES=blobs`, and why. */
const folder = 'the repositories on the disk are copies, which a start may find away'
const hooks = 'a storage has no place for the git hooks of repositories'
const packs = 'every push stays a pack'

export const notWithStoredPacks = {
  'serve: a backup without repositories, files or key is refused, examined by doctor and accepted by doctor --claim':
    folder,
  'serve: folders or the database of another instance are refused': folder,
  'an instance without identity gets one when its key and its repositories fit the rows, and is refused otherwise':
    folder,
  'a process with another folder or key than the first process of the database does not start': folder,
  'tasks: find missing git data, report it, and recreate or delete the repository': folder,
  'ref door: after a kill between the change and its copy the next start shows the change, and nothing is left to do':
    'each look at a copy brings it up',
  "ref door: a change of a wiki's references does not touch the rows of the code":
    'a key that no row has may be that of a repository before objects were removed',
  'adminReadAuditLog: each security-relevant operation writes an entry': hooks,
  'repoEditGitHook: a script runs in pushes and may refuse; guests and owners without the right cannot set one': hooks,
  'generateRepo: protections and hooks are copied on request, hooks only where they are allowed': hooks,
  'ssh: a large push stays a pack, a small one is unpacked, and a malformed request is refused': packs,
  'gitReceivePack: a large push stays a pack, a small one is unpacked': packs,
}

/** Options of Node's test runner that skip them. */
export const skipOptions = () =>
  process.env.INGOT_TEST_REPOSITORIES === 'blobs'
    ? Object.keys(notWithStoredPacks).map((name) => `--test-skip-pattern=/^${RegExp.escape(name)}$/`)
    : []
