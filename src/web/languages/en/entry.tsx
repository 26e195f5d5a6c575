import type { ComponentChildren } from 'preact'

/** Texts of the pages that lead into an account. A function takes what its text names; a text with markup is JSX. */
export const entryTexts = {
  signIn: {
    heading: (appName: string) => `Sign in to ${appName}`,
    nameOrAddress: 'Name or email address',
    remember: (days: number) => `Stay signed in for ${days} days`,
    passwordsOff: 'Passwords do not sign in here.',
    withProvider: (provider: string) => `Sign in with ${provider}`,
    withPasskey: 'Sign in with a passkey',
    forgotPassword: 'Forgot the password?',
    noAccount: 'No account yet?',
    wrong: 'The name, the address or the password is not right.',
    unknownPasskey: 'This passkey does not belong to an account here, or the page has expired. Try again.',
    done: {
      confirmed: 'Your account is ready. Sign in to it.',
      password: 'The password is changed. Sign in with it.',
      address: 'The address is confirmed.',
      waiting: 'Your account was created. You can sign in once an administrator has approved it.',
    } as Readonly<Record<string, string>>,
  },
  signUp: {
    heading: (appName: string) => `Sign up at ${appName}`,
    nameHint: 'Letters, digits and single - _ . between them. Everybody can see it.',
    working: 'One moment: your browser is proving that it is not a bulk sign-up program.',
    haveAccount: 'Already have an account?',
  },
  checkMail: {
    title: 'Check your mail',
    signUp: ({ isSentAgain, minutes }: { isSentAgain: boolean; minutes: number }) =>
      `${isSentAgain ? 'Another mail' : 'A mail'} is on its way to your address. Its link creates your account and works for ${minutes} minutes.`,
    reset: (address: string, minutes: number) =>
      `If an account has the address ${address}, a mail is on its way to it. Its link works for ${minutes} minutes.`,
    nothingCame: 'Nothing came?',
    sendAgainHint: 'Look in the spam folder, or send the mail again:',
    sendAgain: 'Send it again',
    spamFolder: 'Look in the spam folder, or',
    askAgain: 'ask again',
  },
  confirm: {
    title: 'Create your account',
    withAddress: (address: string, name: string | undefined) => (
      <>
        With the address <strong>{address}</strong>
        {name === undefined ? '.' : ` and the name ${name}.`}
      </>
    ),
    create: 'Create it',
  },
  recovery: {
    title: 'Reset your password',
    intro: 'We send a mail with a link to the address of your account.',
    send: 'Send the mail',
    back: 'Back to sign-in',
    newPasswordFor: (login: string) => `New password for ${login}`,
    secondFactor: 'Second factor',
    secondFactorHint: 'A code from your authenticator app, or the scratch code.',
    signsOut: 'This signs out every browser that is signed in to the account.',
  },
  secondFactor: {
    title: 'Second factor',
    code: 'Code from your authenticator app',
    scratch: 'Scratch code',
    needsScripts: 'Your passkey needs a browser that runs scripts.',
    usePasskey: 'Use a passkey',
    useScratch: 'Use the scratch code',
    useDevice: 'Use your device',
    wrongPasskey: 'This passkey does not belong to the account, or the page has expired. Try again.',
    wrongCode: 'This code is wrong or already used.',
  },
  authorize: {
    title: (application: string) => `Authorize ${application}`,
    heading: (application: string) => `Authorize “${application}”?`,
    target: (address: string) => (
      <>
        You will be sent to <code>{address}</code>. You can revoke this in your settings at any time.
      </>
    ),
    allow: 'Authorize',
    deny: 'Deny',
    owner: (login: string | undefined) =>
      login === undefined
        ? 'An administrator of this site registered this application.'
        : `This application belongs to ${login}.`,
    scope: (login: string) => (
      <>
        It asks to use your account <strong>{login}</strong>. It could:
      </>
    ),
  },
  device: {
    title: 'Sign in a device',
    intro: 'A program on a device without a browser shows a code. Enter it here to let the program use your account.',
    code: 'Code',
    codeHint: 'Eight letters, like WDJB-MJHT.',
    continue: 'Continue',
    unknownCode: 'No device waits with this code. It may have been answered already, or may have expired.',
    allow: (application: string) => `Authorize “${application}” on a device?`,
    shown: (code: string) => (
      <>
        A device shows the code <strong>{code}</strong>.
      </>
    ),
    requestSent: (address: string, moment: ComponentChildren) => (
      <>
        It asked from {address} at {moment}.
      </>
    ),
    onlyYours:
      'Only continue if it is your device and you started this yourself. Anybody who sent you the code would get into your account.',
    revocable: 'You can revoke this in your settings at any time.',
    allowed: 'The device is signed in',
    denied: 'The device is not signed in',
    allowedHint: (application: string) =>
      `“${application}” can use your account now. Return to the device; you can close this page.`,
    deniedHint: (application: string) =>
      `“${application}” got no access. If you did not start this yourself, there is nothing else to do.`,
  },
  newcomer: {
    title: 'Which account is yours?',
    unlinked: (provider: string, name: string) => (
      <>
        You came from {provider} as <strong>{name}</strong>. No account here is linked to that.
      </>
    ),
    linkHint: (names: { login: string; name: string; provider: string }) => (
      <>
        You are signed in as <strong>{names.login}</strong>. From now on, {names.name} at {names.provider} can sign in
        to this account.
      </>
    ),
    link: (login: string) => `Link it to ${login}`,
    haveAccount: 'I have an account: sign in and link it',
    isNew: 'I am new here',
    address: (address: string) => `Your address will be ${address}.`,
    create: 'Create an account',
  },
}
