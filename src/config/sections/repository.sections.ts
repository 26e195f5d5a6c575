import { bool, choice, defineSection, int, list, text } from '../setting.ts'

const repositoryUnits = [
  'repo.code',
  'repo.releases',
  'repo.issues',
  'repo.ext_issues',
  'repo.pulls',
  'repo.wiki',
  'repo.ext_wiki',
  'repo.projects',
  'repo.packages',
  'repo.actions',
] as const

export const repository = defineSection('repository', {
  root: text('ROOT', '', 'folder of the git repositories; empty is repositories in the data folder'),
  defaultPrivate: choice(
    'DEFAULT_PRIVATE',
    ['last', 'private', 'public'],
    'last',
    'visibility the form for a new repository proposes',
  ),
  defaultPushCreatePrivate: bool('DEFAULT_PUSH_CREATE_PRIVATE', true, 'whether a repository made by a push is private'),
  forcePrivate: bool('FORCE_PRIVATE', false, 'whether every new repository is private'),
  maxCreationLimit: int('MAX_CREATION_LIMIT', -1, 'repositories a user may own; -1 is no limit', { min: -1 }),
  preferredLicenses: list('PREFERRED_LICENSES', ['Apache-2.0', 'MIT'], 'licences listed first'),
  disableHttpGit: bool('DISABLE_HTTP_GIT', false, 'whether git over HTTP is off'),
  accessControlAllowOrigin: text(
    'ACCESS_CONTROL_ALLOW_ORIGIN',
    '',
    'origin allowed to use git over HTTP from a browser',
  ),
  useCompatSshUri: bool('USE_COMPAT_SSH_URI', true, 'whether SSH clone addresses have the form ssh://user@host/path'),
  goGetCloneUrlProtocol: choice('GO_GET_CLONE_URL_PROTOCOL', ['https', 'ssh'], 'https', 'address go get is told'),
  defaultBranch: text('DEFAULT_BRANCH', 'main', 'default branch of a new repository'),
  enablePushCreateUser: bool('ENABLE_PUSH_CREATE_USER', false, 'whether users may create repositories by pushing'),
  enablePushCreateOrg: bool('ENABLE_PUSH_CREATE_ORG', false, 'whether that works for organizations too'),
  disabledRepoUnits: list('DISABLED_REPO_UNITS', [], 'units no repository may have', { words: repositoryUnits }),
  defaultRepoUnits: list(
    'DEFAULT_REPO_UNITS',
    [
      'repo.code',
      'repo.releases',
      'repo.issues',
      'repo.pulls',
      'repo.wiki',
      'repo.projects',
      'repo.packages',
      'repo.actions',
    ],
    'units of a new repository',
    { words: repositoryUnits },
  ),
  defaultForkRepoUnits: list('DEFAULT_FORK_REPO_UNITS', ['repo.code', 'repo.pulls'], 'units of a new fork', {
    words: repositoryUnits,
  }),
  defaultMirrorRepoUnits: list(
    'DEFAULT_MIRROR_REPO_UNITS',
    ['repo.code', 'repo.releases', 'repo.issues', 'repo.wiki', 'repo.projects', 'repo.packages'],
    'units of a new mirror',
    { words: repositoryUnits },
  ),
  prefixArchiveFiles: bool('PREFIX_ARCHIVE_FILES', true, 'whether archives hold one folder named after the repository'),
  disableMigrations: bool('DISABLE_MIGRATIONS', false, 'whether repositories cannot be migrated from elsewhere'),
  disableMirrors: bool('DISABLE_MIRRORS', false, 'whether mirrors are off'),
  disableStars: bool('DISABLE_STARS', false, 'whether repositories cannot be starred'),
  disableForks: bool('DISABLE_FORKS', false, 'whether repositories cannot be forked'),
  disableDownloadSourceArchives: bool('DISABLE_DOWNLOAD_SOURCE_ARCHIVES', false, 'whether source archives are off'),
  defaultCloseIssuesViaCommitsInAnyBranch: bool(
    'DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH',
    false,
    'whether commits outside of the default branch close issues',
  ),
  allowAdoptionOfUnadoptedRepositories: bool(
    'ALLOW_ADOPTION_OF_UNADOPTED_REPOSITORIES',
    false,
    'whether users may adopt repositories without a row',
  ),
  allowDeleteOfUnadoptedRepositories: bool(
    'ALLOW_DELETE_OF_UNADOPTED_REPOSITORIES',
    false,
    'whether users may delete repositories without a row',
  ),
  allowForkWithoutMaximumLimit: bool(
    'ALLOW_FORK_WITHOUT_MAXIMUM_LIMIT',
    true,
    'whether forks are allowed beyond MAX_CREATION_LIMIT',
  ),
  enableFlags: bool('ENABLE_FLAGS', false, 'whether administrators may flag repositories'),
  settableFlags: list('SETTABLE_FLAGS', [], 'flags that pages offer'),
})

export const repositoryEditor = defineSection('repository.editor', {
  lineWrapExtensions: list(
    'LINE_WRAP_EXTENSIONS',
    ['.txt', '.md', '.markdown', '.mdown', '.mkd', '.livemd'],
    'files whose lines the editor wraps',
  ),
})

export const repositoryUpload = defineSection('repository.upload', {
  enabled: bool('ENABLED', true, 'whether files can be uploaded to repositories in pages'),
  allowedTypes: text('ALLOWED_TYPES', '', 'allowed extensions and media types, separated by commas; empty is all'),
  fileMaxSize: int('FILE_MAX_SIZE', 50, 'largest file, in MiB'),
  maxFiles: int('MAX_FILES', 5, 'most files at once'),
})

export const repositoryPullRequest = defineSection('repository.pull-request', {
  workInProgressPrefixes: list('WORK_IN_PROGRESS_PREFIXES', ['WIP:', '[WIP]'], 'title beginnings of a draft'),
  closeKeywords: list(
    'CLOSE_KEYWORDS',
    ['close', 'closes', 'closed', 'fix', 'fixes', 'fixed', 'resolve', 'resolves', 'resolved'],
    'words before a reference that close an issue',
  ),
  reopenKeywords: list(
    'REOPEN_KEYWORDS',
    ['reopen', 'reopens', 'reopened'],
    'words before a reference that reopen one',
  ),
  defaultMergeStyle: choice(
    'DEFAULT_MERGE_STYLE',
    ['merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only', 'rebase-update-only'],
    'merge',
    'merge style of a new repository',
  ),
  defaultUpdateStyle: choice(
    'DEFAULT_UPDATE_STYLE',
    ['merge', 'rebase'],
    'merge',
    'how a pull request branch is updated',
  ),
  defaultMergeMessageCommitsLimit: int(
    'DEFAULT_MERGE_MESSAGE_COMMITS_LIMIT',
    50,
    'commits named in a proposed merge message; -1 is all',
    { min: -1 },
  ),
  defaultMergeMessageSize: int(
    'DEFAULT_MERGE_MESSAGE_SIZE',
    5120,
    'longest list of commits in it, in bytes; -1 is no limit',
    { min: -1 },
  ),
  defaultMergeMessageAllAuthors: bool(
    'DEFAULT_MERGE_MESSAGE_ALL_AUTHORS',
    false,
    'whether all authors are named, or only those of the named commits',
  ),
  defaultMergeMessageMaxApprovers: int('DEFAULT_MERGE_MESSAGE_MAX_APPROVERS', 10, 'approvers named in it; -1 is all', {
    min: -1,
  }),
  defaultMergeMessageOfficialApproversOnly: bool(
    'DEFAULT_MERGE_MESSAGE_OFFICIAL_APPROVERS_ONLY',
    true,
    'whether only approvals that count are named',
  ),
  populateSquashCommentWithCommitMessages: bool(
    'POPULATE_SQUASH_COMMENT_WITH_COMMIT_MESSAGES',
    false,
    'whether a squash message is made of the commit messages',
  ),
  addCoCommitterTrailers: bool('ADD_CO_COMMITTER_TRAILERS', true, 'whether a squash names its other authors'),
  retargetChildrenOnMerge: bool(
    'RETARGET_CHILDREN_ON_MERGE',
    true,
    'whether pull requests onto a merged branch are moved to its base',
  ),
})

export const repositoryIssue = defineSection('repository.issue', {
  lockReasons: list(
    'LOCK_REASONS',
    ['Too heated', 'Off-topic', 'Spam', 'Resolved'],
    'reasons for locking a conversation',
  ),
  maxPinned: int('MAX_PINNED', 3, 'most pinned issues, and pull requests, of a repository; 0 is none'),
})

export const repositoryRelease = defineSection('repository.release', {
  allowedTypes: text('ALLOWED_TYPES', '', 'extensions and media types of release files; empty is all'),
  defaultPagingNum: int('DEFAULT_PAGING_NUM', 10, 'releases per page', { min: 1, max: 1000 }),
})

export const repositorySigning = defineSection('repository.signing', {
  format: choice('FORMAT', ['openpgp', 'ssh'], 'openpgp', 'kind of the key that the instance signs commits with'),
  signingKey: text(
    'SIGNING_KEY',
    'default',
    'file of the private key that signs commits; generate makes one that is kept in the database; none and default sign nothing',
  ),
  signingName: text(
    'SIGNING_NAME',
    '',
    'whom signed commits are shown to be signed by; empty is the name in the key, or of the instance',
  ),
  signingEmail: text('SIGNING_EMAIL', '', 'address of the same; empty is that in the key, or noreply at the domain'),
  defaultTrustModel: choice(
    'DEFAULT_TRUST_MODEL',
    ['collaborator', 'committer', 'collaboratorcommitter'],
    'collaborator',
    'whose signatures count as trusted',
  ),
  initialCommit: list('INITIAL_COMMIT', ['always'], 'when the first commit of a repository is signed', {
    words: ['never', 'pubkey', 'twofa', 'always'],
  }),
  crudActions: list('CRUD_ACTIONS', ['pubkey', 'twofa', 'parentsigned'], 'when edits of files are signed', {
    words: ['never', 'pubkey', 'twofa', 'parentsigned', 'always'],
  }),
  wiki: list('WIKI', ['never'], 'when edits of a wiki are signed', {
    words: ['never', 'pubkey', 'twofa', 'parentsigned', 'always'],
  }),
  merges: list('MERGES', ['pubkey', 'twofa', 'basesigned', 'commitssigned'], 'when merges are signed', {
    words: ['never', 'pubkey', 'twofa', 'approved', 'basesigned', 'commitssigned', 'headsigned', 'always'],
  }),
})
