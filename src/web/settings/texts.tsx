import type { ComponentChildren } from 'preact'

/** Texts of the settings. A function takes what its text names; a text with markup is JSX. */
export const texts = {
  parts: {
    overview: 'Overview',
    account: 'Password and addresses',
    security: 'Two-factor and passkeys',
    links: 'Linked accounts',
    sessions: 'Sessions',
  },
  titleOf: (part: string) => `${part} - Settings`,
  remove: 'Remove',
  added: (moment: ComponentChildren) => <>added {moment}</>,
  linkedOn: (moment: ComponentChildren) => <>linked {moment}</>,
  signedInOn: (moment: ComponentChildren) => <>signed in {moment}</>,
  lastUsed: (moment: ComponentChildren) => <>last used {moment}</>,
  overview: {
    heading: (login: string) => `Settings of ${login}`,
    applications: 'Authorized applications',
    noApplications: 'None. This list shows the applications that you allow to use your account.',
    revoke: (application: string) => `Revoke access of ${application}`,
    thisBrowser: 'This browser',
  },
  account: {
    done: {
      password: 'The password is changed. Every other browser was signed out.',
      mailed: 'A mail is on its way to the address. Follow its link to add the address.',
      added: 'The address is added.',
      removed: 'The address is removed.',
      primary: 'The primary address is changed.',
    } as Readonly<Record<string, string>>,
    noPassword: 'This account has no password here.',
    setByMail: 'Set one by mail',
    currentPassword: 'Current password',
    change: 'Change password',
    addresses: 'Email addresses',
    primary: 'primary',
    unconfirmed: 'not confirmed yet',
    sendAgain: 'Send again',
    sendAgainTo: (address: string) => `Send the mail to ${address} again`,
    removeAddress: (address: string) => `Remove ${address}`,
    another: 'Another address',
    add: 'Add address',
    primaryAddress: 'Primary address',
    primaryHint: 'This site sends its mails there.',
    newPrimary: 'New primary address',
    makePrimary: 'Make it primary',
    confirmTitle: 'Confirm your address',
    confirmHint: (address: string, login: string) => (
      <>
        This adds the address <strong>{address}</strong> to the account <strong>{login}</strong>.
      </>
    ),
    confirm: 'Confirm address',
    chooseTitle: 'Choose a password',
    chooseHint: 'An administrator asks you to choose a password that nobody else knows before you continue.',
  },
  confirmation: {
    recentSignIn: 'This requires a sign-in within the last 15 minutes.',
    tooOld: 'You signed in too long ago for this. Sign out and sign in again.',
    password: 'Your password',
    wrong: 'The password is not right.',
  },
  links: {
    done: 'The account is linked.',
    linked: 'Linked accounts',
    none: 'No account elsewhere is linked to this one.',
    removeLink: (name: string, provider: string) => `Remove the link to ${name} at ${provider}`,
    hint: (provider: string) => `Your account at ${provider} could sign in to this account.`,
    link: (provider: string) => `Link an account at ${provider}`,
    signInThere: 'Sign in there with the account to link.',
    goTo: (provider: string) => `Go to ${provider}`,
  },
  security: {
    app: 'Authenticator app',
    appOn: 'Sign-in requires a code from your app. Programs use access tokens, or send the code with the password.',
    appOff: 'An app on your phone shows a code that sign-in requires in addition to the password.',
    setUp: 'Set up an authenticator app',
    turnOff: 'Turn off',
    turnOn: 'Turn on',
    scan: 'Scan this picture with the app, or type the key below it into the app.',
    qrCode: 'The key as a QR code',
    openApp: 'Open the app on this device',
    currentCode: 'Code that the app shows now',
    wrongCode: 'This code is not right. Check the clock of your device.',
    scratch: 'Scratch code',
    scratchHint: 'It signs you in once when your devices are lost. A new code replaces the one that you have.',
    newScratch: 'Get a new scratch code',
    scratchOnce: (code: string) => (
      <>
        Keep this scratch code away from your devices. It signs you in once when they are lost. It is shown only now:{' '}
        <code>{code}</code>
      </>
    ),
  },
  passkeys: {
    heading: 'Passkeys',
    hint: 'A passkey signs you in without the password: you unlock your phone, your computer or a security key.',
    newName: 'Name of a new passkey',
    newNameHint: 'To recognize it later, like “my phone”.',
    add: 'Add a passkey',
    removeHeading: 'Remove a passkey',
    toRemove: 'Passkey to remove',
    createHint: (name: string) =>
      `Your device creates the passkey “${name}” and asks you to unlock it. From then on it signs you in, and the password alone does not.`,
    needsScripts: 'This needs a browser that supports passkeys and runs scripts.',
    create: 'Create the passkey',
  },
  sessions: {
    browsers: 'Signed-in browsers',
    hint: 'If you do not recognize a browser, sign it out and change your password.',
    thisBrowser: 'this browser',
    remembered: 'stays signed in',
    signOut: (name: string, address: string) => `Sign out ${name}, last used from ${address}`,
    others: 'All other browsers',
    signOutOthers: 'Sign out every other browser',
    unknownBrowser: 'An unknown browser',
    textBrowser: 'a text browser',
    onSystem: (browser: string, system: string) => `${browser} on ${system}`,
  },
}
