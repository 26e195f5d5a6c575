import { bool, branchName, choice, defineSection, int, list, text } from '../setting.ts'

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
  storage: choice(
    'STORAGE',
    ['local', 'blobs'],
    'local',
    'where git objects are durable: local is ROOT, blobs is the storage of [storage.repositories], of which ROOT has copies',
  ),
  defaultPrivate: choice(
    'DEFAULT_PRIVATE',
    ['last', 'private', 'public'],
    'last',
    'default visibility in the form for a new repository',
  ),
  defaultPushCreatePrivate: bool(
    'DEFAULT_PUSH_CREATE_PRIVATE',
    true,
    'whether a repository created by a push is private',
  ),
  forcePrivate: bool('FORCE_PRIVATE', false, 'whether every new repository is private'),
  maxCreationLimit: int('MAX_CREATION_LIMIT', -1, 'maximum number of repositories per user; -1 is no limit', {
    min: -1,
  }),
  preferredLicenses: list('PREFERRED_LICENSES', ['Apache-2.0', 'MIT'], 'licences at the top of the list'),
  disableHttpGit: bool('DISABLE_HTTP_GIT', false, 'whether git over HTTP is disabled'),
  accessControlAllowOrigin: text('ACCESS_CONTROL_ALLOW_ORIGIN', '', 'origin whose pages may use git over HTTP'),
  useCompatSshUri: bool('USE_COMPAT_SSH_URI', true, 'whether SSH clone addresses have the form ssh://user@host/path'),
  goGetCloneUrlProtocol: choice(
    'GO_GET_CLONE_URL_PROTOCOL',
    ['https', 'ssh'],
    'https',
    'protocol of the clone address in replies to go get',
  ),
  defaultBranch: branchName('DEFAULT_BRANCH', 'main', 'default branch of a new repository'),
  enablePushCreateUser: bool('ENABLE_PUSH_CREATE_USER', false, 'whether users may create repositories by pushing'),
  enablePushCreateOrg: bool(
    'ENABLE_PUSH_CREATE_ORG',
    false,
    'whether users may create repositories of organizations by pushing',
  ),
  disabledRepoUnits: list('DISABLED_REPO_UNITS', [], 'units that are disabled in all repositories', {
    words: repositoryUnits,
  }),
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
  prefixArchiveFiles: bool(
    'PREFIX_ARCHIVE_FILES',
    true,
    'whether archives contain one folder with the name of the repository',
  ),
  disableMigrations: bool('DISABLE_MIGRATIONS', false, 'whether importing repositories is disabled'),
  disableMirrors: bool('DISABLE_MIRRORS', false, 'whether mirrors are disabled'),
  disableStars: bool('DISABLE_STARS', false, 'whether stars are disabled'),
  disableForks: bool('DISABLE_FORKS', false, 'whether forks are disabled'),
  disableDownloadSourceArchives: bool(
    'DISABLE_DOWNLOAD_SOURCE_ARCHIVES',
    false,
    'whether source archives are disabled',
  ),
  defaultCloseIssuesViaCommitsInAnyBranch: bool(
    'DEFAULT_CLOSE_ISSUES_VIA_COMMITS_IN_ANY_BRANCH',
    false,
    'whether commits on any branch close issues',
  ),
  allowAdoptionOfUnadoptedRepositories: bool(
    'ALLOW_ADOPTION_OF_UNADOPTED_REPOSITORIES',
    false,
    'whether users may adopt git repositories that are not in the database',
  ),
  allowDeleteOfUnadoptedRepositories: bool(
    'ALLOW_DELETE_OF_UNADOPTED_REPOSITORIES',
    false,
    'whether users may delete git repositories that are not in the database',
  ),
  allowForkWithoutMaximumLimit: bool(
    'ALLOW_FORK_WITHOUT_MAXIMUM_LIMIT',
    true,
    'whether forks are allowed beyond MAX_CREATION_LIMIT',
  ),
  enableFlags: bool('ENABLE_FLAGS', false, 'whether administrators may flag repositories'),
  settableFlags: list('SETTABLE_FLAGS', [], 'flags that administrators may choose on pages'),
})

export const repositoryEditor = defineSection('repository.editor', {
  lineWrapExtensions: list(
    'LINE_WRAP_EXTENSIONS',
    ['.txt', '.md', '.markdown', '.mdown', '.mkd', '.livemd'],
    'extensions of files whose lines the editor wraps',
  ),
})

export const repositoryUpload = defineSection('repository.upload', {
  enabled: bool('ENABLED', true, 'whether pages accept uploads to repositories'),
  allowedTypes: text('ALLOWED_TYPES', '', 'allowed extensions and media types, separated by commas; empty is all'),
  fileMaxSize: int('FILE_MAX_SIZE', 50, 'maximum size of a file, in MiB'),
  maxFiles: int('MAX_FILES', 5, 'maximum number of files in one upload'),
})

export const repositoryPullRequest = defineSection('repository.pull-request', {
  workInProgressPrefixes: list('WORK_IN_PROGRESS_PREFIXES', ['WIP:', '[WIP]'], 'title prefixes of draft pull requests'),
  closeKeywords: list(
    'CLOSE_KEYWORDS',
    ['close', 'closes', 'closed', 'fix', 'fixes', 'fixed', 'resolve', 'resolves', 'resolved'],
    'keywords that close the issue named after them',
  ),
  reopenKeywords: list(
    'REOPEN_KEYWORDS',
    ['reopen', 'reopens', 'reopened'],
    'keywords that reopen the issue named after them',
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
    'default way to update the branch of a pull request',
  ),
  defaultMergeMessageCommitsLimit: int(
    'DEFAULT_MERGE_MESSAGE_COMMITS_LIMIT',
    50,
    'maximum number of commits in the default merge message; -1 is no limit',
    { min: -1 },
  ),
  defaultMergeMessageSize: int(
    'DEFAULT_MERGE_MESSAGE_SIZE',
    5120,
    'maximum size of the commit list in the default merge message, in bytes; -1 is no limit',
    { min: -1 },
  ),
  defaultMergeMessageAllAuthors: bool(
    'DEFAULT_MERGE_MESSAGE_ALL_AUTHORS',
    false,
    'whether the default merge message names the authors of all commits, or of the listed commits only',
  ),
  defaultMergeMessageMaxApprovers: int(
    'DEFAULT_MERGE_MESSAGE_MAX_APPROVERS',
    10,
    'maximum number of approvers in the default merge message; -1 is no limit',
    {
      min: -1,
    },
  ),
  defaultMergeMessageOfficialApproversOnly: bool(
    'DEFAULT_MERGE_MESSAGE_OFFICIAL_APPROVERS_ONLY',
    true,
    'whether the default merge message names official approvers only',
  ),
  populateSquashCommentWithCommitMessages: bool(
    'POPULATE_SQUASH_COMMENT_WITH_COMMIT_MESSAGES',
    false,
    'whether the default squash message contains the commit messages',
  ),
  addCoCommitterTrailers: bool('ADD_CO_COMMITTER_TRAILERS', true, 'whether a squash commit names its co-authors'),
  retargetChildrenOnMerge: bool(
    'RETARGET_CHILDREN_ON_MERGE',
    true,
    'whether pull requests that target a merged branch are retargeted to its base',
  ),
})

export const repositoryIssue = defineSection('repository.issue', {
  lockReasons: list(
    'LOCK_REASONS',
    ['Too heated', 'Off-topic', 'Spam', 'Resolved'],
    'reasons for locking a conversation',
  ),
  maxPinned: int(
    'MAX_PINNED',
    3,
    'maximum number of pinned issues, and of pinned pull requests, per repository; 0 disables pins',
  ),
})

export const repositoryRelease = defineSection('repository.release', {
  allowedTypes: text('ALLOWED_TYPES', '', 'allowed extensions and media types of release files; empty is all'),
  defaultPagingNum: int('DEFAULT_PAGING_NUM', 10, 'releases per page', { min: 1, max: 1000 }),
})

export const repositorySigning = defineSection('repository.signing', {
  format: choice('FORMAT', ['openpgp', 'ssh'], 'openpgp', 'type of the signing key of the instance'),
  signingKey: text(
    'SIGNING_KEY',
    'default',
    'file of the private signing key; generate creates a key in the database; none and default disable signing',
  ),
  signingName: text(
    'SIGNING_NAME',
    '',
    'signer name of signed commits; empty is the name in the key, or the name of the instance',
  ),
  signingEmail: text(
    'SIGNING_EMAIL',
    '',
    'signer address of signed commits; empty is the address in the key, or noreply at DOMAIN',
  ),
  defaultTrustModel: choice(
    'DEFAULT_TRUST_MODEL',
    ['collaborator', 'committer', 'collaboratorcommitter'],
    'collaborator',
    'default rule for trusted signatures',
  ),
  initialCommit: list('INITIAL_COMMIT', ['always'], 'when the first commit of a repository is signed', {
    words: ['never', 'pubkey', 'twofa', 'always'],
  }),
  crudActions: list(
    'CRUD_ACTIONS',
    ['pubkey', 'twofa', 'parentsigned'],
    'when file changes made on pages or through the API are signed',
    {
      words: ['never', 'pubkey', 'twofa', 'parentsigned', 'always'],
    },
  ),
  wiki: list('WIKI', ['never'], 'when wiki changes are signed', {
    words: ['never', 'pubkey', 'twofa', 'parentsigned', 'always'],
  }),
  merges: list('MERGES', ['pubkey', 'twofa', 'basesigned', 'commitssigned'], 'when merges are signed', {
    words: ['never', 'pubkey', 'twofa', 'approved', 'basesigned', 'commitssigned', 'headsigned', 'always'],
  }),
})
