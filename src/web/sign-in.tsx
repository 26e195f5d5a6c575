import type { Config } from '../config/load-config.ts'
import { csrfName } from './browser.requirements.ts'
import { sitePath } from './page.tsx'

export interface SignInFormProps {
  readonly config: Config
  readonly csrf: string
  readonly redirectTo?: string | undefined
  readonly login?: string
  /** Why the form is shown again. */
  readonly problem?: string
}

/** The sign-in form. It works without scripts, names what went wrong to screen readers, and lets password managers in. */
export function SignInForm({ config, csrf, redirectTo, login, problem }: SignInFormProps) {
  return (
    <main class="card">
      <h1>Sign in to {config.instance.appName}</h1>
      {problem === undefined ? null : (
        <p class="problem" role="alert" id="problem">
          {problem}
        </p>
      )}
      <form method="post" action={sitePath(config, 'user/login')}>
        <input type="hidden" name={csrfName} value={csrf} />
        {redirectTo === undefined ? null : <input type="hidden" name="redirect_to" value={redirectTo} />}
        <label for="user_name">Name or address</label>
        <input
          id="user_name"
          name="user_name"
          value={login ?? ''}
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          autofocus
          aria-describedby={problem === undefined ? undefined : 'problem'}
        />
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="current-password" required />
        <label class="choice">
          <input type="checkbox" name="remember" /> Stay signed in for {config.security.loginRememberDays} days
        </label>
        <button type="submit">Sign in</button>
      </form>
    </main>
  )
}
