/** For what needs a real n8n: the first test may install it, which takes minutes. */
jest.setTimeout(600_000);
