/** Names of the README templates a new repository may ask for. */
export const readmeTemplateNames: readonly string[] = ['Default']

/**
 * The README of a new repository: its name as the title, a blank line, the description (nothing follows it: observed).
 * @param template name of the template; empty means `Default`
 * @returns undefined when no template has that name
 */
export function renderReadme(template: string, repository: { name: string; description: string }): string | undefined {
  if (template !== '' && !readmeTemplateNames.includes(template)) return undefined
  return `# ${repository.name}\n\n${repository.description}`
}
