/* In place of ROCm's libamdhip64.so.6: what examples/your_project needs for linking. Every call
   fails, so that only the emulator can make its test pass. */
#define FAILS(name) \
    int name(void) { return 100; }
FAILS(hipMalloc)
FAILS(hipFree)
FAILS(hipMemcpy)
FAILS(hipGetLastError)
FAILS(hipLaunchKernel)
FAILS(__hipPushCallConfiguration)
FAILS(__hipPopCallConfiguration)
const char* hipGetErrorString(int error) {
    (void)error;
    return "the stand-in for ROCm";
}
const char* hipGetErrorName(int error) {
    (void)error;
    return "hipErrorNoDevice";
}
void* __hipRegisterFatBinary(const void* wrapper) {
    (void)wrapper;
    return 0;
}
void __hipUnregisterFatBinary(void* modules) {
    (void)modules;
}
void __hipRegisterFunction(void) {}
