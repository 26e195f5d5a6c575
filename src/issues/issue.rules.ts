/** The unit whose rights count for an issue or pull request. */
export const unitOf = (issue: { readonly is_pull: boolean }): 'issues' | 'pulls' => (issue.is_pull ? 'pulls' : 'issues')
