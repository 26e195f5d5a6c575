/** Returns the names of the README templates. */
export const readmeTemplateNames: readonly string[] = ['Default']

/**
 * Returns the README of a new repository: its name as the title, an empty line, and the description without a final
 * line break (observed).
 * @param template name of the template; empty means `Default`
 * @returns undefined for an unknown name
 */
export function renderReadme(template: string, repository: { name: string; description: string }): string | undefined {
  if (template !== '' && !readmeTemplateNames.includes(template)) return undefined
  return `# ${repository.name}\n\n${repository.description}`
}
