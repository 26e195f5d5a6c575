import { allow, deny, type Verdict } from '../../lib/verdict.ts'
import { wordTable } from '../../lib/word-table.ts'

const classes = wordTable<{ readonly pattern: RegExp; readonly words: string }>({
  lower: { pattern: /\p{Ll}/u, words: 'a lower-case letter' },
  upper: { pattern: /\p{Lu}/u, words: 'an upper-case letter' },
  digit: { pattern: /\p{Nd}/u, words: 'a digit' },
  spec: { pattern: /[ !"#$%&'()*+,\-./:;<=>?@[\\\]^_{|}~`]/, words: 'a special character' },
})

/** Returns whether a password satisfies `MIN_PASSWORD_LENGTH` and `PASSWORD_COMPLEXITY`. */
export function mayUsePassword(
  password: string,
  rules: { minPasswordLength: number; passwordComplexity: readonly string[] },
): Verdict {
  if (Array.from(password).length < rules.minPasswordLength) {
    return deny('password_weak', `the password needs at least ${rules.minPasswordLength} characters`)
  }
  const missing = rules.passwordComplexity.flatMap((name) =>
    classes[name] && !classes[name].pattern.test(password) ? [classes[name].words] : [],
  )
  return missing.length > 0 ? deny('password_weak', `the password needs ${missing.join(', ')}`) : allow
}
