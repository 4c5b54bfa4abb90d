// The sample list of the repository, loaded on request.

export { default } from "../../../../samples/household.md?raw";
