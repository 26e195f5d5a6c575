/*
 * Paths in fields of forms. A browser sends each line break of a field as CR LF, and a text field shows none at all, while a name
 * in git may contain both.
 */

/** Returns the value of a hidden field that holds a path. */
export const pathField = (path: string): string => path.replaceAll(/[\r\n%]/g, encodeURIComponent)

/** Returns the path that a hidden field holds. */
export const pathOfField = (value: string): string =>
  value.replaceAll(/%(0A|0D|25)/g, (escape) => decodeURIComponent(escape))

/** What a browser sends of a path in a text field. */
const inTextField = (path: string): string => path.replaceAll(/[\r\n]/g, '')

/**
 * Returns the path that a person typed into a text field: the parts that a text field cannot show, such as line breaks and spaces
 * around a name, are kept where the text was not changed.
 * @param shown the path that the field showed; a folder ends with `/`
 */
export function typedPath(sent: string, shown: string): string {
  const typed = sent.trim()
  if (typed === inTextField(shown).trim()) return shown
  const folder = shown.slice(0, shown.lastIndexOf('/') + 1)
  const shownFolder = inTextField(folder).trimStart()
  return folder !== '' && typed.startsWith(shownFolder) ? folder + typed.slice(shownFolder.length) : typed
}
