/** Texts that several pages share. A function takes what its text names; a text with markup is JSX. */
export const texts = {
  errorTitle: (title: string) => `Error: ${title}`,
  refused: {
    notFound: 'Page not found',
    serverError: 'Something went wrong',
    other: 'This did not work',
    seeLog: (requestId: string) => (
      <>
        An administrator finds the reason in the log, at request <code>{requestId}</code>.
      </>
    ),
    home: 'Go to the home page',
  },
  cancel: 'Cancel',
  name: 'Name',
  password: 'Password',
  newPassword: 'New password',
  setPassword: 'Set the password',
  emailAddress: 'Email address',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signUp: 'Sign up',
  settings: 'Settings',
  passwordCharacters: {
    lower: 'a lower-case letter',
    upper: 'an upper-case letter',
    digit: 'a digit',
    spec: 'a special character',
  } as Readonly<Record<string, string>>,
  passwordHint: (minLength: number, characters: readonly string[]) =>
    characters.length === 0
      ? `At least ${minLength} characters.`
      : `At least ${minLength} characters, including ${characters.join(', ')}.`,
  passkey: {
    or: 'or',
    failed: 'The browser returned no passkey. Try again.',
    alreadyAdded: 'This device already has a passkey for the account.',
  },
}
