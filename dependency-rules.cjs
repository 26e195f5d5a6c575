/**
 * Who may import whom. `npm run check` reads every import below `src/` and compares it with these rules; a file that
 * ends in `.test.ts` or `.test-support.ts`, or lies in `testing/` may import anything, and so may the programs at the root (`main.ts`).
 *
 * A name below is a folder of `src/`, or one file of it without its extension (`mail/mailer`), which goes before its
 * folder. Imports of types only (`import type`) cost nothing at run time: they obey the layers, not the roles.
 */
module.exports = {
  /**
   * Packages that are not loaded with the program but when something first needs them: each costs a start time, and an
   * idle server memory for good. `starts` are the files that every server loads.
   */
  late: {
    starts: ['app', 'cli/serve.command'],
    packages: [
      '@actions/expressions',
      '@aws-sdk',
      '@noble/hashes',
      '@simplewebauthn/server',
      '@smithy',
      'gemoji',
      'highlight.js',
      'imapflow',
      'jdenticon',
      'jose',
      'ldapts',
      'linguist-languages',
      'markdown-it',
      'node:https',
      'node:tls',
      'nodemailer',
      'oauth4webapi',
      'openid-client',
      'pg',
      'postal-mime',
      'prom-client',
      'sanitize-html',
      'saxes',
      'sharp',
      'ssh2',
      'tar-stream',
      'undici',
      'yaml',
      'yauzl',
    ],
  },
  /** From the lowest to the highest: a layer imports the ones before it. Inside a layer the layer's own rule holds. */
  layers: [
    { name: 'lib', within: 'free', members: ['lib'] },
    {
      name: 'platform',
      // Only these pairs; every other part of the platform knows nothing of its neighbours.
      within: {
        jobs: ['db'],
        events: ['db', 'jobs'],
        audit: ['db'],
        http: ['admission'],
      },
      members: [
        'admission',
        'audit',
        'config',
        'db',
        'git',
        'storage',
        'jobs',
        'events',
        'markup',
        'http',
        'secrets',
        'outgoing',
        'images',
        'mail/mailer',
      ],
    },
    {
      name: 'identity',
      within: 'free',
      members: ['auth', 'access'],
      // Who somebody is and what somebody may do is read from rows that features own.
      mayImport: ['users/*.store', 'orgs/*.store', 'repos/*.store'],
    },
    {
      name: 'features',
      // A feature imports those before it; the ones on the last line may also import each other.
      within: 'ordered',
      order: [
        ['site'],
        ['users'],
        ['orgs'],
        ['refs'],
        ['repos'],
        ['code'],
        ['attachments'],
        ['issues'],
        ['boards'],
        ['pulls'],
        ['releases', 'wiki', 'lfs', 'imports', 'oauth', 'sources', 'actions', 'packages', 'quota', 'admin'],
      ],
    },
    // What an event looks like to webhooks and workflows.
    { name: 'payloads', within: 'free', members: ['payloads'] },
    {
      name: 'reactors',
      within: 'free',
      members: ['activity', 'feed', 'notifications', 'webhooks', 'triggers', 'mail', 'search', 'federation'],
    },
    { name: 'doors', within: {}, members: ['transport', 'web'] },
    // Commands start the whole program, so they stand above it.
    {
      name: 'program',
      within: 'free',
      members: ['app', 'app-options', 'check-node', 'main', 'cli', 'testing', 'runner'],
    },
  ],

  /**
   * Folders inside a feature, from the lowest to the highest. A file in one of them imports, of its own feature, what lies
   * at the feature's root or in a folder on an earlier line; folders on one line know nothing of each other. The root,
   * where the feature's main thing lies, imports them all.
   */
  themes: {
    git: [['broker'], ['files'], ['objects'], ['packs'], ['refs'], ['history', 'repositories'], ['transport']],
    refs: [['changes', 'signing'], ['protection'], ['push']],
    transport: [['http', 'ssh']],
    users: [['avatars', 'credentials', 'replies', 'sent-forms', 'settings', 'social'], ['entry']],
    repos: [
      ['search'],
      ['lists'],
      ['git-hooks', 'mirrors', 'social'],
      ['people'],
      ['invitations'],
      ['lifecycle'],
      ['maintenance'],
    ],
    code: [['commits'], ['branches'], ['contents'], ['languages'], ['archives', 'search', 'statuses']],
    issues: [
      ['attachments', 'dependencies', 'labels', 'milestones', 'social', 'templates', 'time'],
      ['relations'],
      ['references'],
      ['comments'],
      ['timeline'],
      ['search'],
      ['lists'],
    ],
    pulls: [['reviews'], ['merge']],
    webhooks: [['adaptors'], ['deliveries']],
    federation: [
      ['signatures'],
      ['peers'],
      ['deliveries'],
      ['actors'],
      ['follows', 'likes'],
      ['outboxes', 'received', 'tickets'],
      ['inboxes'],
    ],
    oauth: [
      ['applications', 'openid'],
      ['authorize', 'devices'],
    ],
    actions: [
      ['secrets', 'uploads', 'workflows'],
      ['variables'],
      ['runs'],
      ['dispatches', 'environments', 'runners', 'schedules'],
      ['logs', 'owned'],
      ['artifacts', 'caches', 'identity', 'protocol'],
    ],
    imports: [['sources']],
    sources: [['ldap', 'openid', 'proxy']],
    lfs: [['tickets'], ['locks', 'objects'], ['retention']],
    admin: [['accounts', 'audit', 'doctor', 'events', 'jobs', 'unadopted'], ['identity'], ['backup']],
    web: [
      ['languages'],
      ['browser', 'ui'],
      ['shell'],
      ['frames', 'lists'],
      ['shared'],
      [
        'actions',
        'administration',
        'api',
        'entry',
        'explore',
        'gallery',
        'home',
        'issues',
        'links',
        'notifications',
        'organizations',
        'packages',
        'profile',
        'releases',
        'repository',
        'search',
        'settings',
        'wiki',
      ],
      // A pull request is an issue with code: its page has the parts of issues.
      ['pulls'],
      // A comparison contains the form of a pull request. A refused form leads to an issue or pull request.
      // A saved view is a list of issues with other forms.
      ['boards', 'code', 'conversations'],
    ],
    packages: [
      ['content'],
      ['formats'],
      ['catalog'],
      ['indexes'],
      ['registry'],
      ['upstream'],
      ['rpm'],
      [
        'alpine',
        'alt',
        'arch',
        'cargo',
        'chef',
        'composer',
        'conan',
        'conda',
        'container',
        'cran',
        'debian',
        'generic',
        'go',
        'helm',
        'maven',
        'npm',
        'nuget',
        'pub',
        'pypi',
        'rubygems',
        'swift',
        'vagrant',
      ],
      ['cleanup'],
    ],
  },

  /**
   * By role, the word between a file's name and its extension (`comment.service.ts`). A role imports, of files that have
   * one of these roles, only the listed ones. A file of another role or none is bound by its layer alone.
   */
  roles: {
    routes: ['operations', 'service', 'policy', 'rules', 'present', 'schemas', 'requirements'],
    operations: ['service', 'present', 'schemas', 'requirements'],
    page: ['page', 'view', 'service', 'policy', 'rules', 'present', 'requirements'],
    view: ['view', 'rules'],
    requirements: ['requirements', 'service', 'policy', 'rules', 'store', 'schemas'],
    subscribers: ['service', 'policy', 'rules', 'store'],
    owned: ['service', 'rules', 'store'],
    service: ['service', 'policy', 'rules', 'store'],
    policy: ['policy', 'rules'],
    rules: ['rules'],
    // What a page or a reply says of somebody's rights is what the policy says.
    present: ['store', 'present', 'policy', 'rules'],
    store: ['store'],
    schemas: ['schemas'],
  },

  /** One door each: what only the named places import. `types` says that types of it may be imported anywhere. */
  onlyFrom: [
    {
      what: 'node:child_process',
      places: ['git', 'runner/processes'],
      why: 'only git/ starts processes, and a runner',
    },
    { what: 'better-sqlite3', places: ['db'], why: 'only db/ imports a driver' },
    { what: 'pg', places: ['db'], why: 'only db/ imports a driver' },
    { what: 'kysely', places: ['db', 'jobs', '*.store'], types: true, why: 'SQL is written in db/ and in stores' },
    { what: 'node:http', places: ['http'], types: true, why: 'only http/ answers requests' },
    { what: 'undici', places: ['outgoing'], why: 'outgoing requests are checked and pinned in one place' },
    { what: 'sharp', places: ['images'], why: 'images are decoded in their worker only' },
    { what: 'imapflow', places: ['mail/incoming/inbox'], types: true, why: 'mail comes in through the inbox' },
    { what: 'ldapts', places: ['sources/ldap/directory'], types: true, why: 'directories are asked in one place' },
    { what: 'nodemailer', places: ['mail/mailer'], why: 'mail leaves through the mailer' },
    {
      what: '*.schemas',
      places: [
        '*.routes',
        '*.operations',
        '*.present',
        '*.schemas',
        '*.requirements',
        'repos/lifecycle/new-repository',
      ],
      why: 'the words of the API stay with routes and presenters; services have their own',
    },
    { what: '*.page', places: ['*.feature', '*.page'], why: 'only the feature file of their folder imports pages' },
    { what: '*.routes', places: ['*.feature'], why: 'only the feature file of their folder imports routes' },
    { what: '*.feature', places: ['app'], why: 'only app.ts imports features' },
  ],
}
