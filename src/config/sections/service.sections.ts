import { bool, bytes, choice, defineSection, durationMs, int, list, text, url } from '../setting.ts'

const visibilities = ['public', 'limited', 'private'] as const

export const service = defineSection('service', {
  disableRegistration: bool(
    'DISABLE_REGISTRATION',
    false,
    'whether registration is disabled; administrators can still create users',
  ),
  allowOnlyExternalRegistration: bool(
    'ALLOW_ONLY_EXTERNAL_REGISTRATION',
    false,
    'whether users register only through OAuth2',
  ),
  allowOnlyInternalRegistration: bool(
    'ALLOW_ONLY_INTERNAL_REGISTRATION',
    false,
    'whether users register only through the form',
  ),
  registerEmailConfirm: bool('REGISTER_EMAIL_CONFIRM', false, 'whether new users must confirm their email address'),
  registerManualConfirm: bool('REGISTER_MANUAL_CONFIRM', false, 'whether an administrator must activate new users'),
  activeCodeLiveMinutes: int('ACTIVE_CODE_LIVE_MINUTES', 180, 'lifetime of an activation link, in minutes', {
    min: 1,
  }),
  resetPasswdCodeLiveMinutes: int(
    'RESET_PASSWD_CODE_LIVE_MINUTES',
    180,
    'lifetime of a password reset link, in minutes',
    { min: 1 },
  ),
  emailDomainAllowlist: list('EMAIL_DOMAIN_ALLOWLIST', [], 'allowed domains of email addresses (globs); empty is all', {
    aliases: ['EMAIL_DOMAIN_WHITELIST'],
  }),
  emailDomainBlocklist: list('EMAIL_DOMAIN_BLOCKLIST', [], 'forbidden domains of email addresses (globs)'),
  showRegistrationButton: bool('SHOW_REGISTRATION_BUTTON', true, 'whether pages offer registration'),
  enableInternalSignin: bool('ENABLE_INTERNAL_SIGNIN', true, 'whether the sign-in page asks for a password'),
  requireSigninView: bool('REQUIRE_SIGNIN_VIEW', false, 'whether guests must sign in to see anything'),
  enableNotifyMail: bool('ENABLE_NOTIFY_MAIL', false, 'whether watchers receive mail'),
  enableBasicAuthentication: bool(
    'ENABLE_BASIC_AUTHENTICATION',
    true,
    'whether Basic authentication accepts passwords',
  ),
  enableReverseProxyAuthentication: bool(
    'ENABLE_REVERSE_PROXY_AUTHENTICATION',
    false,
    'whether a trusted reverse proxy authenticates users of pages',
  ),
  enableReverseProxyAuthenticationApi: bool(
    'ENABLE_REVERSE_PROXY_AUTHENTICATION_API',
    false,
    'whether a trusted reverse proxy authenticates users of the API',
  ),
  enableReverseProxyAutoRegistration: bool(
    'ENABLE_REVERSE_PROXY_AUTO_REGISTRATION',
    false,
    'whether unknown users of a trusted reverse proxy are created',
  ),
  enableReverseProxyEmail: bool(
    'ENABLE_REVERSE_PROXY_EMAIL',
    false,
    'whether the proxy supplies the email address of new users',
  ),
  enableReverseProxyFullName: bool(
    'ENABLE_REVERSE_PROXY_FULL_NAME',
    false,
    'whether the proxy supplies the full name of new users',
  ),
  defaultKeepEmailPrivate: bool('DEFAULT_KEEP_EMAIL_PRIVATE', false, 'whether new users hide their email address'),
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
    'whether new memberships in organizations are public',
  ),
  enableTimetracking: bool('ENABLE_TIMETRACKING', true, 'whether time tracking is available'),
  defaultEnableTimetracking: bool('DEFAULT_ENABLE_TIMETRACKING', true, 'whether new repositories enable time tracking'),
  defaultAllowOnlyContributorsToTrackTime: bool(
    'DEFAULT_ALLOW_ONLY_CONTRIBUTORS_TO_TRACK_TIME',
    true,
    'whether only contributors track time in new repositories',
  ),
  defaultEnableDependencies: bool(
    'DEFAULT_ENABLE_DEPENDENCIES',
    true,
    'whether new repositories enable issue dependencies',
  ),
  allowCrossRepositoryDependencies: bool(
    'ALLOW_CROSS_REPOSITORY_DEPENDENCIES',
    true,
    'whether issues may depend on issues of other repositories',
  ),
  enableUserHeatmap: bool('ENABLE_USER_HEATMAP', true, 'whether profiles have a heat map'),
  noReplyAddress: text(
    'NO_REPLY_ADDRESS',
    'noreply.%(DOMAIN)s',
    'domain of the email address shown for users who hide their own',
  ),
  autoWatchNewRepos: bool('AUTO_WATCH_NEW_REPOS', true, 'whether users watch repositories that they gain access to'),
  autoWatchOnChanges: bool('AUTO_WATCH_ON_CHANGES', false, 'whether users watch repositories that they push to'),
  allowDotsInUsernames: bool('ALLOW_DOTS_IN_USERNAMES', true, 'whether user names may contain dots'),
  validSiteUrlSchemes: list('VALID_SITE_URL_SCHEMES', ['http', 'https'], 'allowed URL schemes of websites in profiles'),
  userLocationMapUrl: url('USER_LOCATION_MAP_URL', '', 'URL prefix of the map link of a location; empty shows no link'),
  userDeleteWithCommentsMaxTime: durationMs(
    'USER_DELETE_WITH_COMMENTS_MAX_TIME',
    '0',
    'maximum age of an account whose comments are deleted with it; 0 keeps all comments',
  ),
  usernameCooldownPeriod: int(
    'USERNAME_COOLDOWN_PERIOD',
    0,
    'days until another user may take the old name of a renamed user; 0 is at once',
    { max: 36500 },
  ),
  maxUserRedirects: int('MAX_USER_REDIRECTS', 0, 'maximum number of old names that redirect to a user; 0 is no limit'),
  showMilestonesDashboardPage: bool(
    'SHOW_MILESTONES_DASHBOARD_PAGE',
    true,
    'whether the dashboard has a page of milestones',
  ),
})

export const serviceExplore = defineSection('service.explore', {
  requireSigninView: bool('REQUIRE_SIGNIN_VIEW', false, 'whether guests must sign in to explore'),
  disableUsersPage: bool('DISABLE_USERS_PAGE', false, 'whether the explore page of users is disabled'),
  disableOrganizationsPage: bool(
    'DISABLE_ORGANIZATIONS_PAGE',
    false,
    'whether the explore page of organizations is disabled',
  ),
  disableCodePage: bool('DISABLE_CODE_PAGE', false, 'whether pages do not offer to search code'),
})

export const admin = defineSection('admin', {
  disableRegularOrgCreation: bool(
    'DISABLE_REGULAR_ORG_CREATION',
    false,
    'whether only administrators may create organizations',
  ),
  defaultEmailNotifications: choice(
    'DEFAULT_EMAIL_NOTIFICATIONS',
    ['enabled', 'onmention', 'disabled', 'andyourown'],
    'enabled',
    'notification mails that new users receive',
  ),
  sendNotificationEmailOnNewUser: bool(
    'SEND_NOTIFICATION_EMAIL_ON_NEW_USER',
    false,
    'whether administrators receive mail about new users',
  ),
  userDisabledFeatures: list('USER_DISABLED_FEATURES', [], 'what people cannot do with their own account', {
    words: ['deletion', 'manage_ssh_keys', 'manage_gpg_keys'],
  }),
  externalUserDisableFeatures: list(
    'EXTERNAL_USER_DISABLE_FEATURES',
    [],
    'what people who sign in through a source cannot do with their own account',
    {
      words: ['deletion', 'manage_ssh_keys', 'manage_gpg_keys'],
    },
  ),
})

export const api = defineSection('api', {
  enableSwagger: bool('ENABLE_SWAGGER', true, 'whether the API description and its page are available'),
  maxResponseItems: int('MAX_RESPONSE_ITEMS', 50, 'maximum number of items per page', { min: 1, max: 10_000 }),
  defaultPagingNum: int('DEFAULT_PAGING_NUM', 30, 'default number of items per page', { min: 1, max: 10_000 }),
  defaultGitTreesPerPage: int('DEFAULT_GIT_TREES_PER_PAGE', 1000, 'default number of tree entries per page', {
    min: 1,
    max: 100_000,
  }),
  defaultMaxBlobSize: bytes(
    'DEFAULT_MAX_BLOB_SIZE',
    '10485760',
    'maximum size of a blob whose content the API returns, in bytes',
  ),
})

export const ui = defineSection('ui', {
  // Clients see these values in account settings and expect the family's names.
  defaultTheme: text('DEFAULT_THEME', 'forgejo-auto', 'default theme of pages'),
  themes: list('THEMES', ['forgejo-auto', 'forgejo-light', 'forgejo-dark'], 'themes that users may choose'),
  reactions: list(
    'REACTIONS',
    ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'],
    'allowed reactions',
  ),
  customEmojis: list(
    'CUSTOM_EMOJIS',
    ['git', 'gitea', 'codeberg', 'gitlab', 'github', 'gogs', 'forgejo'],
    'custom emoji',
  ),
  reactionMaxUserNum: int('REACTION_MAX_USER_NUM', 10, 'maximum number of names shown with a reaction', { min: 1 }),
  explorePagingNum: int('EXPLORE_PAGING_NUM', 20, 'rows per explore page', { min: 1, max: 1000 }),
  issuePagingNum: int('ISSUE_PAGING_NUM', 20, 'issues per page', { min: 1, max: 1000 }),
  repoSearchPagingNum: int('REPO_SEARCH_PAGING_NUM', 20, 'repositories per page of search results', {
    min: 1,
    max: 1000,
  }),
  membersPagingNum: int('MEMBERS_PAGING_NUM', 20, 'members per page', { min: 1, max: 1000 }),
  packagesPagingNum: int('PACKAGES_PAGING_NUM', 20, 'packages per page', { min: 1, max: 1000 }),
  feedPagingNum: int('FEED_PAGING_NUM', 20, 'entries per page of a feed', { min: 1, max: 1000 }),
  feedMaxCommitNum: int('FEED_MAX_COMMIT_NUM', 5, 'maximum number of commits shown for a push in a feed'),
  sitemapPagingNum: int('SITEMAP_PAGING_NUM', 20, 'entries per site map', { min: 1, max: 50_000 }),
  graphMaxCommitNum: int('GRAPH_MAX_COMMIT_NUM', 100, 'commits per page of the graph', { min: 1, max: 1000 }),
  codeCommentLines: int('CODE_COMMENT_LINES', 4, 'number of code lines shown above a review comment'),
  maxDisplayFileSize: bytes('MAX_DISPLAY_FILE_SIZE', '8388608', 'maximum size of a file that pages show'),
  showUserEmail: bool('SHOW_USER_EMAIL', true, 'whether signed-in users see email addresses that are not hidden'),
  defaultShowFullName: bool('DEFAULT_SHOW_FULL_NAME', false, 'whether pages show full names instead of user names'),
  searchRepoDescription: bool('SEARCH_REPO_DESCRIPTION', true, 'whether repository searches include descriptions'),
  onlyShowRelevantRepos: bool('ONLY_SHOW_RELEVANT_REPOS', false, 'whether explore hides forks and bare repositories'),
  explorePagingDefaultSort: choice(
    'EXPLORE_PAGING_DEFAULT_SORT',
    ['recentupdate', 'alphabetically', 'reverselastlogin', 'newest', 'oldest', 'reversealphabetically', 'leastupdate'],
    'recentupdate',
    'default order of the explore pages',
  ),
  preferredTimestampTense: choice(
    'PREFERRED_TIMESTAMP_TENSE',
    ['mixed', 'absolute', 'relative'],
    'mixed',
    'format of times: absolute, relative or mixed',
  ),
  ambiguousUnicodeDetection: bool(
    'AMBIGUOUS_UNICODE_DETECTION',
    true,
    'whether pages highlight confusable Unicode characters',
  ),
})

export const uiCsv = defineSection('ui.csv', {
  maxFileSize: bytes('MAX_FILE_SIZE', '524288', 'maximum size of a CSV file that is shown as a table; 0 is no limit'),
  maxRows: int('MAX_ROWS', 2500, 'maximum number of CSV rows shown; 0 is no limit'),
})

export const time = defineSection('time', {
  defaultUiLocation: text(
    'DEFAULT_UI_LOCATION',
    '',
    'time zone of pages, such as Europe/Berlin; empty is the time zone of the server',
  ),
})

export const i18n = defineSection('i18n', {
  langs: list('LANGS', ['en-US', 'de-DE', 'zh-CN'], 'languages of pages and mails, in order of preference'),
  names: list('NAMES', [], 'native names of the languages in LANGS; without them, those that the languages have'),
})

export const markdown = defineSection('markdown', {
  enableHardLineBreakInComments: bool(
    'ENABLE_HARD_LINE_BREAK_IN_COMMENTS',
    true,
    'whether a line break in a comment is rendered as a line break',
  ),
  enableHardLineBreakInDocuments: bool(
    'ENABLE_HARD_LINE_BREAK_IN_DOCUMENTS',
    false,
    'whether a line break in a file is rendered as a line break',
  ),
  customUrlSchemes: list('CUSTOM_URL_SCHEMES', [], 'additional URL schemes of links'),
  fileExtensions: list(
    'FILE_EXTENSIONS',
    ['.md', '.markdown', '.mdown', '.mkd', '.livemd'],
    'extensions of Markdown files',
  ),
  enableMath: bool('ENABLE_MATH', true, 'whether formulas are rendered'),
})

export const markup = defineSection('markup', {
  mermaidMaxSourceCharacters: int(
    'MERMAID_MAX_SOURCE_CHARACTERS',
    50_000,
    'maximum length of a Mermaid diagram, in characters; -1 is no limit',
    {
      min: -1,
    },
  ),
  filepreviewMaxLines: int(
    'FILEPREVIEW_MAX_LINES',
    50,
    'maximum number of lines in the preview of a linked file; 0 disables previews',
  ),
})

export const other = defineSection('other', {
  showFooterPoweredBy: bool('SHOW_FOOTER_POWERED_BY', true, 'whether the page footer names the program'),
  showFooterVersion: bool('SHOW_FOOTER_VERSION', true, 'whether the page footer shows the version'),
  enableSitemap: bool('ENABLE_SITEMAP', true, 'whether the site map is available'),
  enableFeed: bool('ENABLE_FEED', true, 'whether RSS and Atom feeds are available'),
})
