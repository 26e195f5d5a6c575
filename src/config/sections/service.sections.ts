import { bool, bytes, choice, defineSection, durationMs, int, list, text, url } from '../setting.ts'

const visibilities = ['public', 'limited', 'private'] as const

export const service = defineSection('service', {
  disableRegistration: bool(
    'DISABLE_REGISTRATION',
    false,
    'whether nobody can register; administrators still add users',
  ),
  allowOnlyExternalRegistration: bool(
    'ALLOW_ONLY_EXTERNAL_REGISTRATION',
    false,
    'whether accounts come only from OAuth2',
  ),
  allowOnlyInternalRegistration: bool(
    'ALLOW_ONLY_INTERNAL_REGISTRATION',
    false,
    'whether accounts come only from the form',
  ),
  registerEmailConfirm: bool('REGISTER_EMAIL_CONFIRM', false, 'whether new users confirm their address by mail'),
  registerManualConfirm: bool('REGISTER_MANUAL_CONFIRM', false, 'whether an administrator activates new users'),
  activeCodeLiveMinutes: int('ACTIVE_CODE_LIVE_MINUTES', 180, 'how long an activation link is valid, in minutes', {
    min: 1,
  }),
  resetPasswdCodeLiveMinutes: int(
    'RESET_PASSWD_CODE_LIVE_MINUTES',
    180,
    'how long a password reset link is valid, in minutes',
    { min: 1 },
  ),
  emailDomainAllowlist: list('EMAIL_DOMAIN_ALLOWLIST', [], 'domains (globs) that addresses must be of; empty is all', {
    aliases: ['EMAIL_DOMAIN_WHITELIST'],
  }),
  emailDomainBlocklist: list('EMAIL_DOMAIN_BLOCKLIST', [], 'domains (globs) that addresses must not be of'),
  showRegistrationButton: bool('SHOW_REGISTRATION_BUTTON', true, 'whether pages offer registration'),
  enableInternalSignin: bool('ENABLE_INTERNAL_SIGNIN', true, 'whether the sign-in page asks for a password'),
  requireSigninView: bool('REQUIRE_SIGNIN_VIEW', false, 'whether guests see nothing'),
  enableNotifyMail: bool('ENABLE_NOTIFY_MAIL', false, 'whether watchers get mail'),
  enableBasicAuthentication: bool(
    'ENABLE_BASIC_AUTHENTICATION',
    true,
    'whether passwords work in Basic authentication',
  ),
  enableReverseProxyAuthentication: bool(
    'ENABLE_REVERSE_PROXY_AUTHENTICATION',
    false,
    'whether a trusted reverse proxy may name the user of a page',
  ),
  enableReverseProxyAuthenticationApi: bool(
    'ENABLE_REVERSE_PROXY_AUTHENTICATION_API',
    false,
    'whether it may do so for the API',
  ),
  enableReverseProxyAutoRegistration: bool(
    'ENABLE_REVERSE_PROXY_AUTO_REGISTRATION',
    false,
    'whether users named so are created',
  ),
  enableReverseProxyEmail: bool('ENABLE_REVERSE_PROXY_EMAIL', false, 'whether their address is taken from the proxy'),
  enableReverseProxyFullName: bool('ENABLE_REVERSE_PROXY_FULL_NAME', false, 'whether their full name is'),
  defaultKeepEmailPrivate: bool('DEFAULT_KEEP_EMAIL_PRIVATE', false, 'whether new users hide their address'),
  defaultAllowCreateOrganization: bool(
    'DEFAULT_ALLOW_CREATE_ORGANIZATION',
    true,
    'whether new users may create organizations',
  ),
  defaultUserIsRestricted: bool('DEFAULT_USER_IS_RESTRICTED', false, 'whether new users are restricted'),
  defaultUserVisibility: choice('DEFAULT_USER_VISIBILITY', visibilities, 'public', 'visibility of new users'),
  allowedUserVisibilityModes: list('ALLOWED_USER_VISIBILITY_MODES', visibilities, 'visibilities users may choose', {
    words: visibilities,
  }),
  defaultOrgVisibility: choice('DEFAULT_ORG_VISIBILITY', visibilities, 'public', 'visibility of new organizations'),
  defaultOrgMemberVisible: bool(
    'DEFAULT_ORG_MEMBER_VISIBLE',
    false,
    'whether new members of an organization are shown',
  ),
  enableTimetracking: bool('ENABLE_TIMETRACKING', true, 'whether time can be tracked'),
  defaultEnableTimetracking: bool('DEFAULT_ENABLE_TIMETRACKING', true, 'whether new repositories track time'),
  defaultAllowOnlyContributorsToTrackTime: bool(
    'DEFAULT_ALLOW_ONLY_CONTRIBUTORS_TO_TRACK_TIME',
    true,
    'whether there only contributors do',
  ),
  defaultEnableDependencies: bool(
    'DEFAULT_ENABLE_DEPENDENCIES',
    true,
    'whether issues of new repositories have dependencies',
  ),
  allowCrossRepositoryDependencies: bool(
    'ALLOW_CROSS_REPOSITORY_DEPENDENCIES',
    true,
    'whether those may lie elsewhere',
  ),
  enableUserHeatmap: bool('ENABLE_USER_HEATMAP', true, 'whether profiles have a heat map'),
  noReplyAddress: text('NO_REPLY_ADDRESS', 'noreply.%(DOMAIN)s', 'domain of the address of users who hide theirs'),
  autoWatchNewRepos: bool('AUTO_WATCH_NEW_REPOS', true, 'whether users watch repositories they get access to'),
  autoWatchOnChanges: bool('AUTO_WATCH_ON_CHANGES', false, 'whether users watch repositories they push to'),
  allowDotsInUsernames: bool('ALLOW_DOTS_IN_USERNAMES', true, 'whether names may hold dots'),
  validSiteUrlSchemes: list('VALID_SITE_URL_SCHEMES', ['http', 'https'], 'schemes of websites in profiles'),
  userLocationMapUrl: url(
    'USER_LOCATION_MAP_URL',
    '',
    'what a location is appended to for a link to a map; empty links none',
  ),
  userDeleteWithCommentsMaxTime: durationMs(
    'USER_DELETE_WITH_COMMENTS_MAX_TIME',
    '0',
    'age up to which deleting an account deletes its comments; 0 is never',
  ),
  usernameCooldownPeriod: int(
    'USERNAME_COOLDOWN_PERIOD',
    0,
    'days before somebody else may take a renamed login; 0 is at once',
    { max: 36500 },
  ),
  maxUserRedirects: int('MAX_USER_REDIRECTS', 0, 'old logins of a user that still lead to them; 0 is no limit'),
  showMilestonesDashboardPage: bool(
    'SHOW_MILESTONES_DASHBOARD_PAGE',
    true,
    'whether there is a page of all milestones',
  ),
})

export const serviceExplore = defineSection('service.explore', {
  requireSigninView: bool('REQUIRE_SIGNIN_VIEW', false, 'whether guests may not explore'),
  disableUsersPage: bool('DISABLE_USERS_PAGE', false, 'whether users are not explorable'),
  disableOrganizationsPage: bool('DISABLE_ORGANIZATIONS_PAGE', false, 'whether organizations are not explorable'),
  disableCodePage: bool('DISABLE_CODE_PAGE', false, 'whether code is not searchable from the explore pages'),
})

export const admin = defineSection('admin', {
  disableRegularOrgCreation: bool(
    'DISABLE_REGULAR_ORG_CREATION',
    false,
    'whether only administrators create organizations',
  ),
  defaultEmailNotifications: choice(
    'DEFAULT_EMAIL_NOTIFICATIONS',
    ['enabled', 'onmention', 'disabled', 'andyourown'],
    'enabled',
    'mail new users get',
  ),
  sendNotificationEmailOnNewUser: bool(
    'SEND_NOTIFICATION_EMAIL_ON_NEW_USER',
    false,
    'whether administrators hear of new users',
  ),
  userDisabledFeatures: list('USER_DISABLED_FEATURES', [], 'things users may not do themselves', {
    words: ['deletion', 'manage_ssh_keys', 'manage_gpg_keys'],
  }),
  externalUserDisableFeatures: list(
    'EXTERNAL_USER_DISABLE_FEATURES',
    [],
    'things users of external sources may not do',
    {
      words: ['deletion', 'manage_ssh_keys', 'manage_gpg_keys'],
    },
  ),
})

export const api = defineSection('api', {
  enableSwagger: bool('ENABLE_SWAGGER', true, 'whether the API description and its page are served'),
  maxResponseItems: int('MAX_RESPONSE_ITEMS', 50, 'most items per page', { min: 1, max: 10_000 }),
  defaultPagingNum: int('DEFAULT_PAGING_NUM', 30, 'items per page when none is asked for', { min: 1, max: 10_000 }),
  defaultGitTreesPerPage: int('DEFAULT_GIT_TREES_PER_PAGE', 1000, 'entries per page of a tree', {
    min: 1,
    max: 100_000,
  }),
  defaultMaxBlobSize: bytes(
    'DEFAULT_MAX_BLOB_SIZE',
    '10485760',
    'largest blob whose content the API answers, in bytes',
  ),
})

export const ui = defineSection('ui', {
  // Clients see these names in the settings of accounts and know the family's.
  defaultTheme: text('DEFAULT_THEME', 'forgejo-auto', 'theme of pages for who has chosen none'),
  themes: list('THEMES', ['forgejo-auto', 'forgejo-light', 'forgejo-dark'], 'themes users may choose'),
  reactions: list(
    'REACTIONS',
    ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'],
    'reactions that are allowed',
  ),
  customEmojis: list(
    'CUSTOM_EMOJIS',
    ['git', 'gitea', 'codeberg', 'gitlab', 'github', 'gogs', 'forgejo'],
    'emoji beyond those of Unicode',
  ),
  reactionMaxUserNum: int('REACTION_MAX_USER_NUM', 10, 'names shown with a reaction', { min: 1 }),
  explorePagingNum: int('EXPLORE_PAGING_NUM', 20, 'rows per explore page', { min: 1, max: 1000 }),
  issuePagingNum: int('ISSUE_PAGING_NUM', 20, 'issues per page', { min: 1, max: 1000 }),
  repoSearchPagingNum: int('REPO_SEARCH_PAGING_NUM', 20, 'repositories of a search per page', { min: 1, max: 1000 }),
  membersPagingNum: int('MEMBERS_PAGING_NUM', 20, 'members per page', { min: 1, max: 1000 }),
  packagesPagingNum: int('PACKAGES_PAGING_NUM', 20, 'packages per page', { min: 1, max: 1000 }),
  feedPagingNum: int('FEED_PAGING_NUM', 20, 'entries of a feed page', { min: 1, max: 1000 }),
  feedMaxCommitNum: int('FEED_MAX_COMMIT_NUM', 5, 'commits shown of one push in a feed'),
  sitemapPagingNum: int('SITEMAP_PAGING_NUM', 20, 'entries of a site map', { min: 1, max: 50_000 }),
  graphMaxCommitNum: int('GRAPH_MAX_COMMIT_NUM', 100, 'commits per page of the graph', { min: 1, max: 1000 }),
  codeCommentLines: int('CODE_COMMENT_LINES', 4, 'lines of code shown above a review comment'),
  maxDisplayFileSize: bytes('MAX_DISPLAY_FILE_SIZE', '8388608', 'largest file shown in a page'),
  showUserEmail: bool('SHOW_USER_EMAIL', true, 'whether signed-in users see addresses that are not hidden'),
  defaultShowFullName: bool('DEFAULT_SHOW_FULL_NAME', false, 'whether full names are shown for logins'),
  searchRepoDescription: bool('SEARCH_REPO_DESCRIPTION', true, 'whether repository searches look at descriptions'),
  onlyShowRelevantRepos: bool('ONLY_SHOW_RELEVANT_REPOS', false, 'whether explore hides forks and bare repositories'),
  explorePagingDefaultSort: choice(
    'EXPLORE_PAGING_DEFAULT_SORT',
    ['recentupdate', 'alphabetically', 'reverselastlogin', 'newest', 'oldest', 'reversealphabetically', 'leastupdate'],
    'recentupdate',
    'order of the explore pages',
  ),
  preferredTimestampTense: choice(
    'PREFERRED_TIMESTAMP_TENSE',
    ['mixed', 'absolute', 'relative'],
    'mixed',
    'how times are shown',
  ),
  ambiguousUnicodeDetection: bool('AMBIGUOUS_UNICODE_DETECTION', true, 'whether confusable characters are pointed out'),
})

export const uiCsv = defineSection('ui.csv', {
  maxFileSize: bytes('MAX_FILE_SIZE', '524288', 'largest CSV file shown as a table; 0 is no limit'),
  maxRows: int('MAX_ROWS', 2500, 'most rows shown; 0 is no limit'),
})

export const time = defineSection('time', {
  defaultUiLocation: text(
    'DEFAULT_UI_LOCATION',
    '',
    'time zone of pages, like Europe/Berlin; empty is that of the server',
  ),
})

export const i18n = defineSection('i18n', {
  langs: list('LANGS', ['en-US'], 'languages of pages, in order of preference'),
  names: list('NAMES', ['English'], 'what those call themselves'),
})

export const markdown = defineSection('markdown', {
  enableHardLineBreakInComments: bool(
    'ENABLE_HARD_LINE_BREAK_IN_COMMENTS',
    true,
    'whether a line end in a comment is kept',
  ),
  enableHardLineBreakInDocuments: bool(
    'ENABLE_HARD_LINE_BREAK_IN_DOCUMENTS',
    false,
    'whether a line end in a file is kept',
  ),
  customUrlSchemes: list('CUSTOM_URL_SCHEMES', [], 'further schemes of links'),
  fileExtensions: list('FILE_EXTENSIONS', ['.md', '.markdown', '.mdown', '.mkd', '.livemd'], 'files that are Markdown'),
  enableMath: bool('ENABLE_MATH', true, 'whether formulas are rendered'),
})

export const markup = defineSection('markup', {
  mermaidMaxSourceCharacters: int('MERMAID_MAX_SOURCE_CHARACTERS', 50_000, 'longest Mermaid source; -1 is no limit', {
    min: -1,
  }),
  filepreviewMaxLines: int('FILEPREVIEW_MAX_LINES', 50, 'lines shown of a linked file; 0 shows none'),
})

export const other = defineSection('other', {
  showFooterPoweredBy: bool('SHOW_FOOTER_POWERED_BY', true, 'whether pages name the program'),
  showFooterVersion: bool('SHOW_FOOTER_VERSION', true, 'whether pages show its version'),
  enableSitemap: bool('ENABLE_SITEMAP', true, 'whether there is a site map'),
  enableFeed: bool('ENABLE_FEED', true, 'whether there are RSS and Atom feeds'),
})
