// The sample of the repository; loaded when somebody asks for it.

export { default } from "../../../../samples/household.md?raw";
